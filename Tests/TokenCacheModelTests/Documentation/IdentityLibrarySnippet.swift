// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

// The example for authors of identity libraries, compiled. What stands between the markers is compared with the
// README and with the page PluggingIn.

/// What the example's author has already: a client for HTTP.
protocol HTTPClient: Sendable {
  func post(_ form: String, to authority: Authority) async throws -> HTTPAnswer
}

/// What that client answers.
struct HTTPAnswer: Sendable {
  let status: Int
  let body: [UInt8]
  let headers: [String: String]
}

// begin
struct IdentityClient: Sendable {
  private let cache: TokenCache

  init(app: AppEntitlements, clientID: String, backend: any TokenCacheBackend, http: any HTTPClient) throws {
    cache = TokenCache(
      backend: backend, app: app.app, clientID: clientID,
      authority: try Authority("https://login.microsoftonline.com/common"),
      endpoint: Endpoint(http: http))
  }

  /// `claims` are a resource's challenge, when it refused a token.
  func token(_ scopes: Scopes, of identifier: String, claims: String? = nil) async throws -> TokenResult? {
    guard let account = try await cache.account(identifier: identifier) else { return nil }
    var parameters = SilentParameters(scopes: scopes, account: account)
    parameters.claims = claims
    return try await cache.acquireTokenSilent(parameters)
  }

  /// `answer` is what the token endpoint said to your interactive sign-in.
  func signedIn(_ answer: [UInt8], scopes: Scopes) async throws -> Account {
    try await cache.save(TokenResponse(parsing: answer), scopes: scopes)
  }

  func signOut(_ account: Account) async throws { try await cache.signOut(account) }
}

struct Endpoint: TokenEndpoint {
  let http: any HTTPClient

  func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    let answer = try await http.post(request.formBody, to: request.authority)
    return TokenEndpointReply(
      status: answer.status, body: answer.body, retryAfter: answer.headers["Retry-After"])
  }
}
// end
