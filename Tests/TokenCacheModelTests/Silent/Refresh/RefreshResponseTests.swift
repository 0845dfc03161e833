// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Response to a refresh")
struct RefreshResponseTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private struct NoNetwork: Error {}

  struct RefusalCase: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let code: SecretStoreError.Code

    init(_ status: Int, _ body: String, _ code: SecretStoreError.Code) {
      self.status = status
      self.body = body
      self.code = code
    }

    var testDescription: String { "\(status) \(body.prefix(60))" }
  }

  /// Signs in, lets the access token expire, and requests another.
  private func refresh(scopes: Scopes = ["mail.read"]) async throws -> TokenResult {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    group.clock.advance(by: 4000)
    return try await mail.acquireTokenSilent(scopes: scopes, account: account)
  }

  private static let refusals = [
    RefusalCase(400, #"{"error":"invalid_grant"}"#, .interactionRequired),
    RefusalCase(400, #"{"error":"invalid_grant","suberror":"consent_required"}"#, .interactionRequired),
    RefusalCase(400, #"{"error":"interaction_required"}"#, .interactionRequired),
    RefusalCase(401, #"{"error":"login_required"}"#, .interactionRequired),
    RefusalCase(400, #"{"error":"consent_required"}"#, .interactionRequired),
    RefusalCase(401, #"{"error":"invalid_client"}"#, .serverError),
    RefusalCase(400, #"{"error":"invalid_scope"}"#, .serverError),
    RefusalCase(400, #"{"error":"slow_down"}"#, .serverError),
    RefusalCase(400, #"{"error":"unauthorized_client"}"#, .serverError),
    RefusalCase(400, #"{"error":{"code":"ServiceUnavailable"}}"#, .serverError),
    RefusalCase(400, "<html>Blocked</html>", .serverError),
    RefusalCase(401, "", .serverError),
    RefusalCase(429, #"{"error":"too_many_requests"}"#, .serverError),
    RefusalCase(500, "", .serverError),
    RefusalCase(502, "<html>Bad gateway</html>", .serverError),
    RefusalCase(503, #"{"error":"temporarily_unavailable"}"#, .serverError),
    RefusalCase(302, "", .serverError),
    RefusalCase(0, "", .serverError),
  ]

  @Test(
    "A refusal is a typed error with the underlying OAuth error; the stored entries remain",
    arguments: refusals)
  func refused(_ refusal: RefusalCase) async throws {
    for _ in 0..<2 { await group.endpoint.response(body: refusal.body, status: refusal.status) }
    let error = await #expect(throws: SecretStoreError.self) { try await refresh() }
    #expect(error?.code == refusal.code)
    let underlying = try #require(error?.underlying as? OAuthError)
    let expected = OAuthError(status: refusal.status, body: Array(refusal.body.utf8))
    #expect((underlying.status, underlying.code) == (expected.status, expected.code))
    #expect(underlying.suberror == expected.suberror)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
    #expect(try await group.document()?.metadata.revision == 1)
    #expect(error.map { RedactionProbe.texts(of: $0).allSatisfy { !$0.contains("rt-1") } } == true)
  }

  @Test(
    "A response with status 200 that is no token response throws serverError; the stored entries remain",
    arguments: [
      "", "null", "<html></html>", #"{"error":"invalid_grant"}"#, #"{"access_token":5}"#,
      #"{"access_token":["hunter2"],"refresh_token":["hunter2"],"id_token":"x"}"#,
    ])
  func noTokenResponse(body: String) async throws {
    await group.endpoint.response(body: body)
    let error = await #expect(throws: SecretStoreError.self) { try await refresh() }
    #expect(error?.code == .serverError)
    #expect((error?.underlying as? SecretStoreError)?.code == .invalidResponse)
    #expect(error?.description.contains("hunter2") == false)
    #expect(try await group.document()?.metadata.revision == 1)
  }

  @Test("A missing response throws networkError with the endpoint's underlying error")
  func noResponse() async throws {
    await group.endpoint.fail(with: NoNetwork())
    let error = await #expect(throws: SecretStoreError(.networkError, "")) { try await refresh() }
    #expect(error?.underlying is NoNetwork)
    #expect(try await group.document()?.metadata.revision == 1)
  }

  @Test("A SecretStoreError of the endpoint is thrown unchanged")
  func ownError() async throws {
    await group.endpoint.fail(with: SecretStoreError(.timedOut, "The server is slow."))
    let error = await #expect(throws: SecretStoreError(.timedOut, "")) { try await refresh() }
    #expect(error?.detail == "The server is slow.")
  }

  @Test("A response for another account throws accountMismatch and stores nothing", arguments: [nil, "1"])
  func otherAccount(family: String?) async throws {
    await group.endpoint.response(TestUser.boris.response(2, family: family))
    await #expect(throws: SecretStoreError(.accountMismatch, "")) { try await refresh() }
    #expect(try await group.stored().keys.map(\.self) == [SharedGroup.key()])
    #expect(try await group.document()?.metadata.revision == 1)
  }

  @Test(
    "Outside Azure AD sub identifies a response for another account, also of another issuer",
    arguments: [nil, "https://id.mallory.example"])
  func otherSubject(issuer: String?) async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com")
    let account = try await mail.signIn(anna.openIDResponse(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(TestUser.boris.openIDResponse(2, issuer: issuer))
    await #expect(throws: SecretStoreError(.accountMismatch, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await group.stored().count == 1)
  }

  @Test(
    "A refresh keeps the tokens, and an ID token only if it is of the issuer, in any spelling, and for the client",
    arguments: [
      (["iss": "https://id.mallory.example"], false), (["iss": "https://id.contoso.com/red"], false),
      (["aud": "mallory"], false), (["aud": ["mallory", "eve"]], false), (["aud": 1], false),
      (["iss": "https://ID.contoso.com:443/"], true),
      (["aud": .string(SharedGroup.suite.uppercased())], true),
      (["aud": ["other", .string(SharedGroup.suite)]], true), ([:], true),
    ] as [(JSONObject, Bool)])
  func foreignIDToken(members: JSONObject, isKept: Bool) async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com")
    let account = try await mail.signIn(anna.openIDResponse(1))
    group.clock.advance(by: 4000)
    let person: JSONObject = ["sub": .string(anna.username), "preferred_username": "anna.new"]
    let token = JSONValue.object(person.changed(by: members)).idToken
    await group.endpoint.response(anna.openIDResponse(2).changed(by: ["id_token": .string(token)]))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    let username = isKept ? "anna.new" : anna.username
    #expect(result.accessToken == "at-2" && result.account.username == username)
    #expect((result.idToken == token) == isKept)
    #expect(try await mail.accounts().map(\.username) == [username])
    let stored = try await group.stored().values.map { String(decoding: $0, as: UTF8.self) }
    #expect(stored.contains { $0.contains("rt-2") } && stored.contains { $0.contains(token) } == isKept)
  }

  @Test("A sign-in with an ID token of another issuer or for another client stores nothing")
  func signInWithForeignIDToken() async throws {
    let red = try group.app("mail", authority: "https://id.contoso.com/red")
    await #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try await red.signIn(anna.openIDResponse(1, issuer: "https://id.contoso.com/blue"))
    }
    let claims: JSONObject = ["sub": "a", "oid": .string(anna.uid), "aud": "another"]
    let token = JSONValue.string(JSONValue.object(claims).idToken)
    await #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try await group.app("mail").signIn(anna.response(1, changing: ["id_token": token]))
    }
    await #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try await group.adal("old").signIn(anna.adalResponse(1, changing: ["id_token": token]))
    }
    #expect(try await group.stored().isEmpty)
  }

  @Test("The refresh token of a response without an access token is saved", arguments: [nil, "1"])
  func noAccessToken(family: String?) async throws {
    await group.endpoint.response(anna.response(2, family: family, changing: ["access_token": .null]))
    let error = await #expect(throws: SecretStoreError(.serverError, "")) { try await refresh() }
    #expect(error?.underlying == nil)
    let saved = family == nil ? try await group.document() : try await group.familyDocument()
    #expect(saved?.secrets(.refreshToken) == ["rt-2"])
    await group.endpoint.response(anna.response(3, family: family))
    let mail = try group.app("mail")
    let account = try #require(try await mail.accounts().first)
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-3")
    #expect(await group.endpoint.requests.last?.refreshToken == "rt-2")
  }

  @Test("The error for a response without an access token has the error of the save as its underlying error")
  func noAccessTokenAndNotSaved() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2, changing: ["access_token": .null]))
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: failure))
    let error = await #expect(throws: SecretStoreError(.serverError, "")) {
      try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    #expect((error?.underlying as? TokenResult.Unsaved)?.saveError == failure)
  }

  @Test("Fewer scopes than requested throw declinedScopes with their names, and the granted ones are cached")
  func fewerScopes() async throws {
    await group.endpoint.response(anna.response(2, scope: "mail.read openid"))
    let error = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await refresh(scopes: ["mail.read", "Files.Read", "offline_access"])
    }
    #expect(error?.detail.contains("Files.Read") == true)
    #expect(error?.detail.contains("offline_access") == false)
    let mail = try group.app("mail", isOnline: false)
    let account = try #require(try await mail.accounts().first)
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("More scopes than requested are accepted")
  func moreScopes() async throws {
    await group.endpoint.response(anna.response(2, scope: "Mail.Read files.read"))
    #expect(try await refresh().scopes == ["mail.read", "files.read"])
  }

  @Test("A token that could not be saved is returned with the error beside it", arguments: [nil, "1"])
  func saveError(family: String?) async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(anna.response(2, family: family))
    let error = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: error))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2")
    #expect(result.saveError == error)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("Declined scopes whose response could not be saved have the underlying error")
  func declinedAndNotSaved() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    let failure = SecretStoreError(.storageFailed, "The disk is full.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, writeError: failure))
    let error = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    let underlying = error?.underlying as? DeclinedScopes
    #expect(underlying?.granted == ["mail.read", "openid", "profile"])
    #expect(underlying?.declined == ["files.read"])
    #expect(underlying?.result?.saveError?.code == .storageFailed)
    #expect(underlying?.result?.response?.refreshToken == "rt-2" && underlying?.result?.accessToken == "at-2")
  }
}
