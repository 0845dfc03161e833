// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

// The example for authors of identity libraries, compiled. The text between the markers is compared with the page
// PluggingIn.

/// The HTTP client of the example's author.
protocol HTTPClient: Sendable {
  func post(
    _ form: String, to url: URL, headers: [(name: String, value: String)]
  ) async throws -> HTTPResponse
}

/// That client's response.
struct HTTPResponse: Sendable {
  let status: Int
  let body: [UInt8]
  let headers: [String: String]
}

// begin
struct IdentityClient: Sendable {
  private let cache: TokenCache

  init(app: AppEntitlements, clientID: String, backend: any TokenCacheBackend, http: any HTTPClient) throws {
    cache = TokenCache(
      backend: backend, app: app, clientID: clientID,
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

  /// `response` is the token endpoint's response to your interactive sign-in.
  func signedIn(_ response: [UInt8], scopes: Scopes) async throws -> TokenResult {
    try await cache.acquireToken(from: TokenResponse(parsing: response), scopes: scopes)
  }

  func signOut(_ account: Account) async throws { try await cache.signOut(account) }
}

struct Endpoint: TokenEndpoint {
  let http: any HTTPClient
  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    let response = try await http.post(request.formBody, to: request.url, headers: request.headers)
    return TokenEndpointResponse(
      status: response.status, body: response.body, retryAfter: response.headers["Retry-After"])
  }
}
// end
