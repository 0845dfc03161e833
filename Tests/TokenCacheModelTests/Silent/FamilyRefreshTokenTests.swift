// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

/// Clients of a family, which share a refresh token (FOCI).
///
/// The suite's client signs in first, the office's second.
@Suite("Family refresh token")
struct FamilyRefreshTokenTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite() throws -> TokenCache { try group.app("mail") }
  private func office() throws -> TokenCache { try group.app("office", client: SharedGroup.office) }

  /// Signs in with the suite and acquires a token silently with the office.
  private func bothSignedIn() async throws -> Account {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2, family: "1"))
    _ = try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    return account
  }

  @Test("The family's refresh token has its own record and is in no client's")
  func record() async throws {
    try await suite().signIn(anna.response(family: "1"))
    #expect(try await Set(group.stored().keys) == [SharedGroup.key(), SharedGroup.familyKey()])
    #expect(try await group.document()?.secrets(.refreshToken) == [])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
    #expect(try await group.familyDocument()?.credentials.first?.familyID == "1")
  }

  @Test("A client without records sees the account and is silent by the family's token")
  func secondClient() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    #expect(try await office().accounts() == [account])
    #expect(try await office().account(identifier: account.identifier) == account)
    await group.endpoint.response(anna.response(2, family: "1"))
    let result = try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    let request = try #require(await group.endpoint.requests.first)
    #expect(request.clientID == SharedGroup.office)
    #expect(request.refreshToken == "rt-1")
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"])
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1"])
    #expect(try await group.document(client: SharedGroup.office)?.secrets(.accessToken) == ["at-2"])
  }

  @Test("A token rotated by one client is redeemed by the other")
  func rotation() async throws {
    let account = try await bothSignedIn()
    group.clock.advance(by: 4000)
    await group.endpoint.response(anna.response(3, family: "1"))
    _ = try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-3"])
  }

  @Test(
    "A failed save loses the refresh token unless the family's record has it, or the server has sent the old one again",
    arguments: [
      (SharedGroup.key(), 2, false), (SharedGroup.familyKey(), 2, true), (SharedGroup.familyKey(), 1, false),
    ])
  func failedSave(of key: RecordKey, number: Int, isLost: Bool) async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(number, family: "1"))
    let failing = WatchedBackend(
      inner: group.backend,
      beforeUpdate: { if $0 == key { throw SecretStoreError(.groupUnrecoverable, "No.") } })
    let result = try await refresh(group.app("mail", through: failing), account)
    #expect(result.saveError?.code == .groupUnrecoverable)
    #expect(result.unsaved?.losesRefreshToken == isLost)
    let stored = try await group.familyDocument()?.secrets(.refreshToken)
    #expect(stored == [isLost ? "rt-1" : "rt-\(number)"])
  }

  @Test("Concurrent refreshes of a family run one at a time, so that none redeems a used token")
  func turns() async throws {
    let account = try await bothSignedIn()
    group.clock.advance(by: 4000)
    for number in [3, 4] { await group.endpoint.response(anna.response(number, family: "1")) }
    await group.endpoint.beforeResponding { for _ in 0..<50 { await Task.yield() } }
    let (suite, office) = (try suite(), try office())
    async let first = suite.acquireTokenSilent(scopes: ["mail.read"], account: account)
    async let second = office.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await Set([first.accessToken, second.accessToken]) == ["at-3", "at-4"])
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2", "rt-3"])
  }

  @Test("A client in no family neither sees the account nor gets a token")
  func outsider() async throws {
    try await office().signIn(TestUser.boris.response())
    let account = try await suite().signIn(anna.response(family: "1"))
    #expect(try await office().accounts().map(\.username) == ["boris@contoso.com"])
    let document = try #require(try await group.document(of: .boris, client: SharedGroup.office))
    #expect(document.appMetadata.map(\.familyID) == [""])
    #expect(try await suite().accounts() == [account])
  }

  @Test("A client's own refresh token precedes its family's")
  func ownFirst() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await office().signIn(anna.response(9))
    await group.endpoint.response(anna.response(10))
    _ = try await office().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-9"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("A client that joins the family redeems the family's token from then on")
  func joining() async throws {
    let account = try await suite().signIn(anna.response(1))
    for number in [2, 3] {
      await group.endpoint.response(anna.response(number, family: "1"))
      _ = try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-2"])
  }

  @Test("The family's token does not sign a signed-out app in again")
  func signedOut() async throws {
    let account = try await bothSignedIn()
    try await office().signOut(account)
    #expect(try await office().accounts().isEmpty)
    for isForced in [false, true] {
      await #expect(throws: interaction) {
        try await office().acquireTokenSilent(
          scopes: ["mail.read"], account: account, forceRefresh: isForced)
      }
    }
    #expect(await group.endpoint.requests.count == 1)
    #expect(try await suite().accounts().map(\.identifier) == [account.identifier])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("The family's token does not sign in an app that signed out before it used the account")
  func signedOutBeforeUse() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await office().signOut(account)
    #expect(try await office().accounts().isEmpty)
    await #expect(throws: interaction) {
      try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await suite().accounts() == [account])
  }

  @Test("After the removal of all of a client's tokens the family's token signs in none of its apps")
  func otherAppOfClient() async throws {
    let account = try await bothSignedIn()
    try await office().signOut(account)
    let tables = try group.app("tables", client: SharedGroup.office)
    #expect(try await tables.accounts().isEmpty)
    await #expect(throws: interaction) {
      try await tables.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("The family's token is removed with the last client of the family")
  func lastClient() async throws {
    let account = try await bothSignedIn()
    try await suite().signOut(account)
    #expect(try await group.familyDocument() != nil)
    try await office().signOut(account)
    #expect(try await group.familyDocument() == nil)
    for (_, bytes) in try await group.stored() { #expect(try !CacheDocument(parsing: bytes).hasTokens) }
  }

  @Test("If only a client outside the family remains, the family's token is removed")
  func outsiderIsLeft() async throws {
    try await office().signIn(anna.response(9))
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await suite().signOut(account)
    #expect(try await group.familyDocument() == nil)
    #expect(try await office().accounts().map(\.identifier) == [account.identifier])
  }

  @Test("A family's unreadable record is not overwritten; a sign-in keeps the refresh token with the client")
  func corrupt() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.familyKey())
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    #expect(await group.endpoint.requests.isEmpty)
    try await suite().signIn(anna.response(2, family: "1"))
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
    #expect(try await group.backend.record(for: SharedGroup.familyKey()).flatMap(DamagedRecord.init) != nil)
  }
}
