// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL: sign-out beside a refresh")
struct ADALSignOutRaceTests {
  private let group = SharedGroup()

  @Test("A response that arrives after a sign-out everywhere during a migration is discarded")
  func signOutEverywhereDuringMigration() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.response(TestUser.anna.response(2))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    await group.endpoint.beforeResponding { try await directory.signOut(account) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("Entries written during a sign-out everywhere from a migrating account are removed")
  func signOutEverywhereDuringWrite() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let account = try #require(try await group.app("mail").account())
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    var watched = WatchedBackend(inner: group.backend)
    let isFirst = Mutex(true)
    watched.beforeUpdate = { key in
      if key.kind == .credentials, isFirst.withLock({ $0.take() }) { try await directory.signOut(account) }
    }
    await group.endpoint.response(TestUser.anna.response(2))
    let mail = try group.app("mail", through: watched)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("If one app signs out during a refresh, the client's other apps get the new refresh token")
  func otherAppsContinue() async throws {
    let mail = try group.adal("mail", .ownFormat)
    let calendar = try group.adal("calendar", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse(1))
    _ = try await calendar.acquireTokenSilent(resource: SharedGroup.graph)
    group.clock.advance(by: 3600)
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    await group.endpoint.beforeResponding { try await mail.signOut(userID: "anna@contoso.com") }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(try await mail.users().isEmpty)
    #expect(try await group.legacyItems(.multiResourceRefreshToken).map(\.refreshToken) == ["rt-2"])
    #expect(try await calendar.acquireTokenSilent(resource: SharedGroup.graph).accessToken == "at-2")
  }

  @Test("An ADAL item that is damaged during a refresh by MSAL costs no refresh token")
  func damagedItem() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    let key = try #require(try await group.backend.records(matching: .all(.legacy)).first?.key)
    await group.endpoint.response(TestUser.anna.response(2))
    await group.endpoint.beforeResponding { [group] in
      await group.backend.storeRaw(Array("hello".utf8), for: key)
    }
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2" && result.saveError == nil)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A refresh writes nothing into an item that was signed out since, and writes into other items")
  func staleRefresh() async throws {
    let store = ADALStore(backend: group.backend)
    let app = try SharedGroup.id("mail")
    var other = TestUser.anna.legacyRefreshToken("other", client: SharedGroup.office)
    let token = TestUser.anna.legacyRefreshToken("old")
    try await store.save([token, other], for: app)
    let read = try #require(try await store.items().first { $0.token.clientID == token.clientID })
    try await group.signOutEverywhere()
    other.refreshToken = "new"
    try await store.save([TestUser.anna.legacyRefreshToken("new"), other], for: app, redeemed: read)
    #expect(try await group.legacyItems().filter { $0.kind != nil }.map(\.clientID) == [SharedGroup.office])
  }

  @Test("A sign-out also empties an item that a refresh filled again after the first look")
  func refilled() async throws {
    let token = TestUser.anna.legacyRefreshToken()
    try await group.store(token)
    let store = ADALStore(backend: group.backend)
    var looks = 0
    let find = { () async throws -> [ADALStore.Stored] in
      looks += 1
      if looks == 2 { try await group.store(token) }
      return try await store.items()
    }
    try await store.signOut(nil, recordedAs: nil, where: { _ in true }, in: find)
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }

  @Test("A refresh that loses to a sign-out leaves the family token of the same name at another issuer")
  func familyAtAnotherIssuer() async throws {
    let mail = try group.adal("mail", .ownFormat)
    try await mail.signIn(TestUser.anna.adalResponse(1))
    var family = ADALToken(
      authority: "https://id.contoso.com/blue", resource: nil, clientID: ADALToken.familyPrefix + "1")
    (family.userID, family.refreshToken, family.familyID) = (TestUser.anna.username, "rt-f", "1")
    try await group.store(family)
    group.clock.advance(by: 3600)
    await group.endpoint.response(TestUser.anna.adalResponse(2))
    var watched = WatchedBackend(inner: group.backend)
    let isFirst = Mutex(true)
    watched.beforeUpdate = { key in
      if key.kind == .legacy, isFirst.withLock({ $0.take() }) {
        try await mail.signOut(userID: TestUser.anna.username)
      }
    }
    let refreshing = try group.adal("mail", .ownFormat, through: watched)
    #expect(
      try await code { _ = try await refreshing.acquireTokenSilent(resource: SharedGroup.graph) }
        == .interactionRequired)
    #expect(try await group.legacyItems(.familyRefreshToken).map(\.refreshToken) == ["rt-f"])
  }
}
