// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("A refused refresh token")
struct RefusalTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func refuse(_ suberror: String? = nil, code: String = "invalid_grant") async {
    let addition = suberror.map { #","suberror":"\#($0)""# } ?? ""
    await group.endpoint.answer(body: #"{"error":"\#(code)"\#(addition)}"#, status: 400)
  }

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func office() throws -> TokenCache { try group.app("word", client: SharedGroup.office) }

  private func refresh(_ cache: TokenCache, _ account: Account) async throws -> TokenResult {
    try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
  }

  private func sent() async -> [String] { await group.endpoint.requests.map(\.refreshToken) }

  // MARK: What is removed

  @Test("bad_token removes it, and the access tokens stay")
  func badToken() async throws {
    let account = try await suite().signIn(anna.answer(1))
    await refuse("bad_token")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken).isEmpty)
    #expect(document.secrets(.accessToken) == ["at-1"])
    #expect(try await suite().accounts() == [account])
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(await sent() == ["rt-1"])
  }

  @Test(
    "No other refusal removes it",
    arguments: [nil, "consent_required", "client_mismatch", "token_expired", "BAD_TOKEN"])
  func stays(suberror: String?) async throws {
    let account = try await suite().signIn(anna.answer(1))
    await refuse(suberror)
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test(
    "An expired access token stays after a refusal, is handed out to nobody, and goes with the next answer")
  func expired() async throws {
    let account = try await suite().signIn(anna.answer(1))
    group.clock.advance(by: 4000)
    await refuse()
    await #expect(throws: interaction) {
      try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    await #expect(throws: interaction) {
      try await group.app("mail", isOnline: false).acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1"])
    group.clock.advance(by: 200)
    await group.endpoint.answer(anna.answer(2))
    _ = try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-2"])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("bad_token beside another error than invalid_grant removes nothing")
  func otherError() async throws {
    let account = try await suite().signIn(anna.answer(1))
    await refuse("bad_token", code: "interaction_required")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("A newer token that was stored meanwhile stays")
  func outdated() async throws {
    let account = try await suite().signIn(anna.answer(1))
    await refuse("bad_token")
    let (group, anna) = (group, anna)
    await group.endpoint.beforeAnswering { try await group.app("mail").signIn(anna.answer(2)) }
    #expect(try await refresh(suite(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A family's bad token is removed from the family's record, a newer one stays")
  func family() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    await refuse("bad_token")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(try await group.familyDocument() == nil)
    try await suite().signIn(anna.answer(2, family: "1"))
    await refuse("bad_token")
    let (group, anna) = (group, anna)
    await group.endpoint.beforeAnswering {
      try await group.app("mail").signIn(anna.answer(3, family: "1"))
    }
    #expect(try await refresh(suite(), account).accessToken == "at-3")
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-3"])
  }

  @Test("An account that was deleted at the server goes from this client, with the sign-in state of its apps")
  func deletedAccount() async throws {
    let account = try await suite().signIn(anna.answer(1))
    try await office().signIn(anna.answer(9))
    await refuse("user_account_deleted")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    let document = try #require(try await group.document())
    #expect(!document.hasTokens)
    #expect(document.accounts.isEmpty)
    #expect(try await suite().accounts().isEmpty)
    #expect(try await suite().signInState(of: account) == nil)
    #expect(try await office().accounts().map(\.identifier) == [account.identifier])
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(await sent() == ["rt-1"])
  }

  @Test("What can't be removed does not hide the refusal")
  func notRemoved() async throws {
    let account = try await suite().signIn(anna.answer(1))
    await refuse("bad_token")
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: failure))
    let error = await #expect(throws: interaction) { try await refresh(mail, account) }
    #expect((error?.underlying as? OAuthError)?.suberror == "bad_token")
  }

  // MARK: The client's token, then its family's

  @Test("When the client's own is refused, its family's is redeemed, and the refused one goes")
  func fallback() async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await makeMember()
    await refuse()
    await group.endpoint.answer(anna.answer(10, family: "1"))
    #expect(try await refresh(office(), account).accessToken == "at-10")
    #expect(await sent() == ["rt-9", "rt-1"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-10"])
    #expect(try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) == [])
  }

  @Test("When both are refused, each was sent once, and the call needs the user")
  func bothRefused() async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await makeMember()
    for _ in 0..<2 { await refuse() }
    await #expect(throws: interaction) { try await refresh(office(), account) }
    await #expect(throws: interaction) { try await refresh(office(), account) }
    #expect(await sent() == ["rt-9", "rt-1"])
    #expect(try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) == ["rt-9"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("When a server fails, the family's is not tried")
  func noFallback() async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await makeMember()
    await group.endpoint.answer(body: #"{"error":"invalid_scope"}"#, status: 400)
    await #expect(throws: SecretStoreError(.serverError, "")) { try await refresh(office(), account) }
    #expect(await sent() == ["rt-9"])
  }

  @Test("client_mismatch puts a client that nothing was known of out of the family, for every account")
  func mismatch() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    try await suite().signIn(Person.boris.answer(2, family: "1"))
    #expect(try await office().accounts().count == 2)
    await refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), account) }
    #expect(try await office().accounts().isEmpty)
    for account in try await suite().accounts() {
      await #expect(throws: interaction) { try await refresh(office(), account) }
    }
    #expect(await sent() == ["rt-1"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
    #expect(try await suite().accounts().count == 2)
  }

  @Test("client_mismatch puts a member out of the family, too, and its own token stays what it redeems")
  func formerMember() async throws {
    let account = try await office().signIn(anna.answer(9))
    try await suite().signIn(anna.answer(1, family: "1"))
    try await makeMember()
    await refuse()
    await refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), account) }
    let document = try #require(try await group.document(client: SharedGroup.office))
    #expect(document.appMetadata.map(\.familyID) == [""])
    group.clock.advance(by: 200)
    await group.endpoint.answer(anna.answer(10))
    #expect(try await refresh(office(), account).accessToken == "at-10")
    #expect(await sent() == ["rt-9", "rt-1", "rt-9"])
  }

  /// Puts the office client into the family, whose tokens it then may redeem beside its own.
  private func makeMember() async throws {
    try await group.backend.update(SharedGroup.key(client: SharedGroup.office)) { stored in
      var document = try #require(stored)
      var json = try #require(JSONValue(parsing: document.serialized()).objectValue)
      let metadata: JSONObject = [
        "client_id": .string(SharedGroup.office), "environment": "login.windows.net", "family_id": "1",
      ]
      json["AppMetadata"] = ["m": .object(metadata)]
      document = try CacheDocument(parsing: json.bytes)
      stored = document
    }
  }
}
