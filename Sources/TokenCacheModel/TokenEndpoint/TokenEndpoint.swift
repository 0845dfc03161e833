// SPDX-License-Identifier: MIT

/// The transport of token requests, which the integrator of the cache implements.
///
/// ```swift
/// struct Endpoint: TokenEndpoint {
///   let http: YourHTTPClient
///   func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
///     let response = try await http.post(
///       request.formBody, to: request.url, headers: request.headers, timeLimit: 30)
///     return TokenEndpointResponse(
///       status: response.status, body: response.body, retryAfter: response.headers["Retry-After"])
///   }
/// }
/// ```
///
/// ``TokenRequest/url`` is known for Microsoft's authorities. An OpenID provider's is what its authority was made with:
/// `Authority(issuer, tokenEndpoint: url)`, from the provider's discovery document. Without it, `url` throws
/// `invalidArgument`.
///
/// The body contains a refresh token. Use an HTTP client that follows no redirects, caches nothing and has a deadline
/// for the whole exchange.
/// `HTTPTokenEndpoint` in the examples is such a client, based on `URLSession`.
public protocol TokenEndpoint: Sendable {
  /// Posts the request's form, with its headers, to the request's URL and returns the response, whatever its status.
  ///
  /// The call runs in a task that is never cancelled. Use a deadline of your own, for the whole exchange: an idle
  /// timeout begins anew with each byte that a slow server sends.
  ///
  /// - Throws: Any error when there was no response. The caller gets a `SecretStoreError` unchanged, and any other
  ///   error as the underlying error of `networkError`.
  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse
}
