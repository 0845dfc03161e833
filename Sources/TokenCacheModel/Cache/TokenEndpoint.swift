// SPDX-License-Identifier: MIT

/// The one thing that the cache leaves to whoever plugs it in: sending a request to the token endpoint.
///
/// ```swift
/// struct HTTPEndpoint: TokenEndpoint {
///   let url: URL
///   func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
///     var post = URLRequest(url: url)
///     post.httpMethod = "POST"
///     post.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
///     post.httpBody = Data(request.formBody.utf8)
///     let (body, response) = try await URLSession.shared.data(for: post)
///     return TokenEndpointReply(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: Array(body))
///   }
/// }
/// ```
public protocol TokenEndpoint: Sendable {
  /// Posts the request to the authority's token endpoint and returns whatever it answered.
  ///
  /// It is called in a task that is never cancelled, so bound the exchange by a time limit of your own.
  ///
  /// - Throws: Any error when there was no answer; the caller then sees `networkError` with it beneath.
  func send(_ request: TokenRequest) async throws -> TokenEndpointReply
}
