// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("A refresh token that a response names twice, or that has no room")
struct RoomForRefreshTokenTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  /// Texts that a request names, which a server can issue as a refresh token.
  private static let names = [
    SharedGroup.suite, "mail.read", TestUser.anna.identifier, TestUser.anna.uid, TestUser.anna.utid,
    "login.microsoftonline.com",
  ]

  @Test("A refresh stores it although it is what the request named", arguments: names)
  func nameAsToken(_ name: String) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: ["refresh_token": .string(name)]))
    let result = try await refresh(mail, account)
    #expect(result.accessToken == "at-2" && result.saveError == nil)
    await group.endpoint.response(anna.response(3))
    #expect(try await refresh(mail, account).accessToken == "at-3")
    #expect(await group.endpoint.sent == ["rt-1", name])
    #expect(try await mail.accounts() == [account])
  }

  /// Fills a record with an entry that no save removes, up to a size.
  private func fill(_ key: RecordKey, upTo bytes: Int) async throws {
    try await group.backend.update(key) { stored in
      let used = stored?.byteCount ?? 0
      stored?[member: "x"] = ["x": .string(String(repeating: "x", count: bytes - used - 20))]
    }
  }

  @Test("Nothing is sent where the client's record has no room for it", arguments: [true, false])
  func noRoom(isFull: Bool) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    try await fill(SharedGroup.key(), upTo: CacheDocument.maximumBytes - (isFull ? 15_000 : 20_000))
    await group.endpoint.response(anna.response(2))
    guard isFull else {
      let result = try await refresh(mail, account)
      #expect(result.accessToken == "at-2" && result.saveError == nil)
      return
    }
    await #expect(throws: SecretStoreError(.storageFailed, "")) { try await refresh(mail, account) }
    #expect(await group.endpoint.sent == [])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("Nothing is sent of ADAL's, either")
  func noRoomForADALs() async throws {
    try await group.store(anna.legacyRefreshToken(knowsHome: true))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    try await group.backend.update(SharedGroup.key()) { $0 = CacheDocument() }
    try await fill(SharedGroup.key(), upTo: CacheDocument.maximumBytes - 2000)
    await #expect(throws: SecretStoreError(.storageFailed, "")) { try await refresh(mail, account) }
    #expect(await group.endpoint.sent == [])
  }

  @Test("Where the family's record has no room, the client keeps it as its own", arguments: [true, false])
  func noRoomInFamily(isSignIn: Bool) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1, family: "1"))
    try await fill(SharedGroup.familyKey(), upTo: CacheDocument.maximumBytes - 200)
    let token = "rt-2 " + String(repeating: "y", count: 500)
    let response = anna.response(2, family: "1", changing: ["refresh_token": .string(token)])
    if isSignIn {
      try await mail.signIn(response)
    } else {
      await group.endpoint.response(response)
      let result = try await refresh(mail, account)
      #expect(result.accessToken == "at-2" && result.saveError == nil)
    }
    #expect(try await group.document()?.secrets(.refreshToken) == [token])
  }

  @Test("A family's token that comes back after a sign-out of every client signs no other client in")
  func familyAfterSignOut() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, family: "1"))
    let family = try #require(try await group.familyDocument())
    try await group.signOutEverywhere()
    try await group.backend.update(SharedGroup.familyKey()) { $0 = family }
    let office = try group.app("office", client: SharedGroup.office)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await refresh(office, account) }
    #expect(await group.endpoint.sent == [])
  }
}
