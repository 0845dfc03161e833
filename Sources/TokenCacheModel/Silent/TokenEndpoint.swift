// SPDX-License-Identifier: MIT

/// The one thing that the cache leaves to whoever plugs it in: sending a request to the token endpoint.
///
/// ```swift
/// struct Endpoint: TokenEndpoint {
///   let http: YourHTTPClient
///   func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
///     let url = try await http.tokenEndpoint(of: request.authority)  // which is not the same for every request
///     let answer = try await http.post(
///       url, contentType: "application/x-www-form-urlencoded", body: request.formBody, timeLimit: 30)
///     return TokenEndpointReply(
///       status: answer.status, body: answer.body, retryAfter: answer.headers["Retry-After"])
///   }
/// }
/// ```
///
/// A refresh token is in the body: use a client that follows no redirect, caches nothing and keeps to a time
/// limit. `HTTPTokenEndpoint` in the examples is such a one, over `URLSession`.
public protocol TokenEndpoint: Sendable {
  /// Posts the request to the authority's token endpoint and returns whatever it answered.
  ///
  /// It is called in a task that is never cancelled, so bound the exchange by a time limit of your own.
  ///
  /// - Throws: Any error when there was no answer; the caller then sees `networkError` with it beneath, or a
  ///   `SecretStoreError` as it is.
  func send(_ request: TokenRequest) async throws -> TokenEndpointReply
}
