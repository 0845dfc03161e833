// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import SecretStoreCache

typealias HTTPHeaders = [(name: String, value: String)]

/// The HTTP client, which tests replace.
protocol HTTPClient: Sendable {
  /// Sends a form by POST, or GET without one.
  func send(_ form: String?, to url: URL, headers: HTTPHeaders) async throws -> TokenEndpointResponse
}

/// Foundation's client, which keeps nothing and follows no redirection with a token.
final class URLSessionClient: NSObject, HTTPClient, URLSessionTaskDelegate {
  /// The time limit of a whole exchange; `timeoutInterval` begins anew with each byte that the server sends.
  private static let limit = Duration.seconds(12)

  func send(_ form: String?, to url: URL, headers: HTTPHeaders) async throws -> TokenEndpointResponse {
    var request = URLRequest(url: url)
    for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
    if let form {
      request.httpMethod = "POST"
      request.httpBody = Data(form.utf8)
    }
    let session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
    defer { session.finishTasksAndInvalidate() }
    do {
      let (body, response) = try await withThrowingTaskGroup(of: (Data, URLResponse).self) {
        [request] group in
        group.addTask { try await session.data(for: request) }
        group.addTask {
          try await Task.sleep(for: Self.limit)
          throw URLError(.timedOut)
        }
        defer { group.cancelAll() }
        guard let exchange = try await group.next() else { throw URLError(.unknown) }
        return exchange
      }
      let http = response as? HTTPURLResponse
      return TokenEndpointResponse(
        status: http?.statusCode ?? 0, body: Array(body),
        retryAfter: http?.value(forHTTPHeaderField: "Retry-After"))
    } catch let error as URLError {
      try Task.checkCancellation()
      throw SecretStoreError(.networkError, "The provider can't be reached: \(error.code.rawValue).")
    }
  }

  func urlSession(
    _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
    newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}
