// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Refused refresh token")
struct RefusedRefreshTokenTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func office() throws -> TokenCache { try group.app("word", client: SharedGroup.office) }

  // MARK: Removal

  @Test("bad_token removes it, and the access tokens remain")
  func badToken() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.refuse("bad_token")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken).isEmpty)
    #expect(document.secrets(.accessToken) == ["at-1"])
    #expect(try await suite().accounts() == [account])
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(await group.endpoint.sent == ["rt-1"])
  }

  @Test(
    "No other refusal removes it",
    arguments: [nil, "consent_required", "client_mismatch", "token_expired", "BAD_TOKEN"])
  func stays(suberror: String?) async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.refuse(suberror)
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test(
    """
    "Conditional Access policy has changed", "require proof of compliance before your app can get a token" and "a
    refresh token expired or was revoked" are told apart
    """,
    arguments: [
      ("basic_action", .interactionRequired, true, false),
      ("additional_action", .interactionRequired, true, false),
      ("message_only", .interactionRequired, true, false),
      ("token_expired", .interactionRequired, false, false),
      ("protection_policy_required", .protectionPolicyRequired, false, true),
    ] as [(String, SecretStoreError.Code, Bool, Bool)])
  func reasons(
    suberror: String, code: SecretStoreError.Code, isConditionalAccess: Bool, requiresPolicy: Bool
  ) async throws {
    let account = try await suite().signIn(anna.response(1))
    for request in ["invalid_grant", "interaction_required"] {
      await group.endpoint.refuse(suberror, code: request)
      let error = await #expect(throws: SecretStoreError.self) { try await refresh(suite(), account) }
      #expect(error?.code == code)
      let refusal = try #require(error?.underlying as? OAuthError)
      #expect(refusal.isConditionalAccess == isConditionalAccess)
      #expect(refusal.requiresProtectionPolicy == requiresPolicy)
      #expect(error?.detail.contains("conditional access") == isConditionalAccess)
      group.clock.advance(by: 200)
    }
    await group.endpoint.response(anna.response(2))
    #expect(try await refresh(suite(), account).accessToken == "at-2", "the refresh token is still there")
  }

  @Test("A refusal leaves an expired access token, which no call returns and the next response removes")
  func expired() async throws {
    let account = try await suite().signIn(anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.refuse()
    await #expect(throws: interaction) {
      try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    await #expect(throws: interaction) {
      try await group.app("mail", isOnline: false).acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await group.document()?.secrets(.accessToken) == ["at-1"])
    group.clock.advance(by: 200)
    await group.endpoint.response(anna.response(2))
    _ = try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await group.document()?.secrets(.accessToken) == ["at-2"])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("bad_token with an error other than invalid_grant removes nothing")
  func otherError() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.refuse("bad_token", code: "interaction_required")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("A newer token stored during the call remains")
  func outdated() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.refuse("bad_token")
    let (group, anna) = (group, anna)
    await group.endpoint.beforeResponding { try await group.app("mail").signIn(anna.response(2)) }
    #expect(try await refresh(suite(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test(
    "When an app without shared locks has redeemed it meanwhile, the newer one is redeemed, once",
    arguments: [nil, "1"] as [String?], [1, 2])
  func redeemedByAnother(family: String?, refusals: Int) async throws {
    let (group, anna) = (group, anna)
    let account = try await suite().signIn(anna.response(1, family: family))
    await group.endpoint.beforeResponding {
      let number = await group.endpoint.sent.count
      if number > refusals { return }
      try await group.app("mail").signIn(
        anna.response(number + 1, scope: "files.read", family: family), scopes: ["files.read"])
    }
    for _ in 0..<refusals { await group.endpoint.refuse() }
    await group.endpoint.response(anna.response(9, family: family))
    if refusals == 1 {
      #expect(try await refresh(suite(), account).accessToken == "at-9")
    } else {
      await #expect(throws: interaction) { try await refresh(suite(), account) }
    }
    #expect(await group.endpoint.sent == ["rt-1", "rt-2"])
    let saved = family == nil ? try await group.document() : try await group.familyDocument()
    #expect(saved?.secrets(.refreshToken) == [refusals == 1 ? "rt-9" : "rt-3"])
  }

  @Test("A family's bad token is removed from the family's record, a newer one remains")
  func family() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.refuse("bad_token")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(try await group.familyDocument()?.hasTokens == false)
    try await suite().signIn(anna.response(2, family: "1"))
    await group.endpoint.refuse("bad_token")
    let (group, anna) = (group, anna)
    await group.endpoint.beforeResponding {
      try await group.app("mail").signIn(anna.response(3, family: "1"))
    }
    #expect(try await refresh(suite(), account).accessToken == "at-3")
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-3"])
  }

  @Test(
    "A family's new token is saved although another app, which redeemed the same one, was refused",
    arguments: [true, false])
  func refusedElsewhere(isFirstUse: Bool) async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2, family: "1"))
    // An app that shares no leases: the server refuses it before it replies to this one.
    let elsewhere = ScriptedEndpoint()
    await elsewhere.refuse("bad_token")
    let other = TokenCache(
      backend: FailingBackend(inner: group.backend, sharesLeases: false), app: nil,
      clientID: isFirstUse ? SharedGroup.suite : SharedGroup.office,
      authority: try Authority(SharedGroup.azure), endpoint: elsewhere, options: group.options)
    await group.endpoint.beforeResponding { _ = try? await refresh(other, account) }
    let cache = isFirstUse ? try office() : try suite()
    #expect(try await refresh(cache, account).accessToken == "at-2")
    #expect(await elsewhere.sent == ["rt-1"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A replacing import after another app's refusal signs out an app whose response is on its way")
  func replacedMeanwhile() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.endpoint.response(anna.response(2, family: "1"))
    let (group, boris) = (group, TestUser.boris)
    await group.endpoint.beforeResponding {
      try await group.backend.update(SharedGroup.familyKey()) { $0?.removeCredentials { _ in true } }
      let file = SharedGroup()
      try await file.app("mail").signIn(boris.response(9))
      var options = ImportOptions()
      options.replaces = true
      _ = try await CacheTransfer(backend: group.backend).importUnified(
        CacheTransfer(backend: file.backend).exportUnified().json, options: options)
    }
    await #expect(throws: interaction) { try await refresh(office(), account) }
    #expect(try await office().accounts().map(\.identifier).contains(account.identifier) == false)
    #expect(try await group.familyDocument()?.hasTokens != true)
  }

  @Test("An account deleted at the server is removed from this client with its apps' sign-in states")
  func deletedAccount() async throws {
    let account = try await suite().signIn(anna.response(1))
    try await office().signIn(anna.response(9))
    await group.endpoint.refuse("user_account_deleted")
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    let document = try #require(try await group.document())
    #expect(!document.hasTokens)
    #expect(document.accounts.isEmpty)
    #expect(try await suite().accounts().isEmpty)
    #expect(try await suite().signInState(of: account) == nil)
    #expect(try await office().accounts().map(\.identifier) == [account.identifier])
    await #expect(throws: interaction) { try await refresh(suite(), account) }
    #expect(await group.endpoint.sent == ["rt-1"])
  }

  @Test("A failed removal does not hide the refusal")
  func notRemoved() async throws {
    let account = try await suite().signIn(anna.response(1))
    await group.endpoint.refuse("bad_token")
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: failure))
    let error = await #expect(throws: interaction) { try await refresh(mail, account) }
    #expect((error?.underlying as? OAuthError)?.suberror == "bad_token")
  }

  // MARK: The client's token, then its family's

  @Test("If the client's own is refused, its family's is redeemed, and the refused one is removed")
  func fallback() async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await makeMember()
    await group.endpoint.refuse()
    await group.endpoint.response(anna.response(10, family: "1"))
    #expect(try await refresh(office(), account).accessToken == "at-10")
    #expect(await group.endpoint.sent == ["rt-9", "rt-1"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-10"])
    #expect(try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) == [])
  }

  @Test("If both are refused, each is sent once, and the call requires interaction")
  func bothRefused() async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await makeMember()
    for _ in 0..<2 { await group.endpoint.refuse() }
    await #expect(throws: interaction) { try await refresh(office(), account) }
    await #expect(throws: interaction) { try await refresh(office(), account) }
    #expect(await group.endpoint.sent == ["rt-9", "rt-1"])
    #expect(try await group.document(client: SharedGroup.office)?.secrets(.refreshToken) == ["rt-9"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("If the server fails, the family's is not sent")
  func noFallback() async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await makeMember()
    await group.endpoint.response(body: #"{"error":"invalid_scope"}"#, status: 400)
    await #expect(throws: SecretStoreError(.serverError, "")) { try await refresh(office(), account) }
    #expect(await group.endpoint.sent == ["rt-9"])
  }

  @Test("client_mismatch removes an unknown client from the family for every account")
  func mismatch() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await suite().signIn(TestUser.boris.response(2, family: "1"))
    #expect(try await office().accounts().count == 2)
    await group.endpoint.refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), account) }
    #expect(try await office().accounts().isEmpty)
    for account in try await suite().accounts() {
      await #expect(throws: interaction) { try await refresh(office(), account) }
    }
    #expect(await group.endpoint.sent == ["rt-1"])
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
    #expect(try await suite().accounts().count == 2)
  }

  @Test("client_mismatch removes a member from the family, too, which then redeems its own token")
  func formerMember() async throws {
    let account = try await office().signIn(anna.response(9))
    try await suite().signIn(anna.response(1, family: "1"))
    try await makeMember()
    await group.endpoint.refuse()
    await group.endpoint.refuse("client_mismatch")
    await #expect(throws: interaction) { try await refresh(office(), account) }
    let document = try #require(try await group.document(client: SharedGroup.office))
    #expect(document.appMetadata.map(\.familyID) == [""])
    group.clock.advance(by: 200)
    await group.endpoint.response(anna.response(10))
    #expect(try await refresh(office(), account).accessToken == "at-10")
    #expect(await group.endpoint.sent == ["rt-9", "rt-1", "rt-9"])
  }

  /// Adds the office client to the family, so that it may redeem the family's tokens beside its own.
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
