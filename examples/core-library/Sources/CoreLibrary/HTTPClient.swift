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
struct URLSessionClient: HTTPClient {
  /// The seconds of a whole exchange; `timeoutInterval` begins anew with each byte that the server sends.
  private static let limit = 12.0

  func send(_ form: String?, to url: URL, headers: HTTPHeaders) async throws -> TokenEndpointResponse {
    var request = URLRequest(url: url)
    for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
    request.httpMethod = form == nil ? "GET" : "POST"
    request.httpBody = form.map { Data($0.utf8) }
    let exchange = Exchange()
    let session = URLSession(configuration: .ephemeral, delegate: exchange, delegateQueue: nil)
    let task = session.dataTask(with: request)
    task.resume()
    session.finishTasksAndInvalidate()
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { task.cancel() }
    defer { task.cancel() }
    do {
      let body = try await exchange.parts.reduce(into: [UInt8]()) { $0 += $1 }
      try Task.checkCancellation()
      let http = task.response as? HTTPURLResponse
      return TokenEndpointResponse(
        status: http?.statusCode ?? 0, body: body, retryAfter: http?.value(forHTTPHeaderField: "Retry-After"))
    } catch let error as URLError {
      throw SecretStoreError(.networkError, "The provider can't be reached: \(error.code.rawValue).")
    }
  }
}

/// The delegate of an exchange: a task with a completion handler, as of `data(for:)`, follows redirections.
private final class Exchange: NSObject, URLSessionDataDelegate {
  let (parts, events) = AsyncThrowingStream.makeStream(of: Data.self)

  func urlSession(_: URLSession, dataTask _: URLSessionDataTask, didReceive data: Data) { events.yield(data) }

  func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
    events.finish(throwing: error)
  }

  func urlSession(
    _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
    newRequest _: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }
}
