// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Result of a sign-in")
struct SignInResultTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func result(
    _ response: JSONObject, scopes: Scopes = ["mail.read"], account: Account? = nil,
    through backend: (any TokenCacheBackend)? = nil
  ) async throws -> TokenResult {
    try await group.app("mail", through: backend).acquireToken(
      from: TokenResponse(members: response), scopes: scopes, account: account)
  }

  @Test("is what a silent call returns from the cache afterwards")
  func same() async throws {
    let result = try await result(anna.response(1))
    let silent = try await group.app("mail").acquireTokenSilent(
      scopes: ["mail.read"], account: result.account)
    #expect(result.source == .signIn && silent.source == .cache)
    #expect(result.accessToken == "at-1" && silent.accessToken == "at-1")
    #expect(result.expiresOn == silent.expiresOn)
    #expect(result.expiresOn == TestClock.start + 3600)
    #expect(result.scopes == silent.scopes)
    #expect(result.tenant == anna.utid && silent.tenant == anna.utid)
    #expect(result.tokenType == silent.tokenType)
    #expect(result.idToken == anna.idToken && silent.idToken == anna.idToken)
    #expect(result.account.username == anna.username)
    #expect(result.saveError == nil && result.refreshReason == nil)
    #expect(try await group.app("mail").accounts() == [result.account])
  }

  @Test("is declinedScopes when the server granted less; what it granted is in the cache")
  func declined() async throws {
    let error = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await result(anna.response(1), scopes: ["mail.read", "mail.send"])
    }
    let scopes = try #require(error?.underlying as? DeclinedScopes)
    #expect(scopes.declined == ["mail.send"])
    #expect(scopes.granted.names.contains("mail.read"))
    let granted = try #require(scopes.result)
    #expect(granted.saveError == nil && granted.accessToken == "at-1" && granted.source == .signIn)
    #expect(granted.correlationID == error?.correlationID && granted.account.username == anna.username)
    let mail = try group.app("mail")
    let account = try #require(try await mail.account(identifier: granted.account.identifier))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
  }

  static let refusals: [(status: Int, body: String, code: SecretStoreError.Code)] = [
    (400, #"{"error":"invalid_grant","suberror":"protection_policy_required"}"#, .protectionPolicyRequired),
    (400, #"{"error":"invalid_grant"}"#, .interactionRequired),
    (400, #"{"error":"interaction_required","suberror":"basic_action"}"#, .interactionRequired),
    (400, #"{"error":"invalid_client"}"#, .serverError), (503, "", .serverError), (302, "", .serverError),
    (200, "<html>", .invalidResponse), (200, #"{"scope":"mail.read"}"#, .invalidResponse),
  ]

  @Test("A sign-in that the token endpoint refuses throws what a silent call does", arguments: refusals)
  func refused(status: Int, body: String, code: SecretStoreError.Code) throws {
    let error = #expect(throws: SecretStoreError(code, "")) {
      try TokenEndpointResponse(status: status, body: Array(body.utf8)).tokenResponse()
    }
    #expect((error?.underlying as? OAuthError)?.status == (status == 200 ? nil : status))
    #expect(error?.detail.contains("refresh") == false)
  }

  @Test("The reply to a sign-in is its token response")
  func reply() throws {
    let reply = TokenEndpointResponse(status: 200, body: anna.response(1).bytes)
    #expect(try reply.tokenResponse().refreshToken == "rt-1")
  }

  @Test("A sign-in at another authority than the cache's is kept under that authority")
  func otherAuthority() async throws {
    let mail = try group.app("mail")
    let other = try Authority("https://id.contoso.com")
    let result = try await mail.acquireToken(
      from: TokenResponse(members: anna.openIDResponse()), scopes: ["mail.read"], authority: other)
    #expect(result.account.environment == "https://id.contoso.com")
    var parameters = SilentParameters(scopes: ["mail.read"], account: result.account)
    parameters.authority = other
    #expect(try await mail.acquireTokenSilent(parameters).accessToken == result.accessToken)
  }

  @Test("has the token and the error when the response can't be saved")
  func unsaved() async throws {
    let broken = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.groupLocked, "The group is locked."))
    let result = try await result(anna.response(1), through: broken)
    #expect(result.accessToken == "at-1")
    #expect(result.account.identifier == anna.identifier && result.account.username == anna.username)
    #expect(result.saveError?.code == .groupLocked)
    #expect(try await group.stored().isEmpty)
    let error = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await self.result(anna.response(1), scopes: ["mail.send"], through: broken)
    }
    let declined = try #require(error?.underlying as? DeclinedScopes)
    #expect(declined.result?.saveError?.code == .groupLocked)
    #expect(declined.result?.response?.refreshToken == "rt-1")
  }

  @Test("is accountMismatch when another account than the expected one signed in, and nothing is saved")
  func otherAccount() async throws {
    let boris = Account(
      identifier: TestUser.boris.identifier, username: TestUser.boris.username,
      environment: "login.windows.net")
    await #expect(throws: SecretStoreError(.accountMismatch, "")) {
      try await result(anna.response(1), account: boris)
    }
    #expect(try await group.stored().isEmpty)
    let expected = Account(
      identifier: anna.identifier.uppercased(), username: "", environment: "login.windows.net")
    #expect(try await result(anna.response(1), account: expected).accessToken == "at-1")
  }

  @Test("is serverError for a response without an access token, and the rest is saved")
  func noAccessToken() async throws {
    await #expect(throws: SecretStoreError(.serverError, "")) {
      try await result(anna.response(1, changing: ["access_token": .null]))
    }
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-1"])
  }
}
