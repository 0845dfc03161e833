// SPDX-License-Identifier: MIT

import FlyingFox
import FlyingSocks
import Foundation

/// An HTTP server on the loopback interface that receives the authorization response from the browser.
struct RedirectListener: Sendable {
  typealias Parameters = [String: String]

  let redirect: LoopbackRedirect
  /// Returns whether a response is the expected one.
  ///
  /// Others are rejected, and the server continues to wait.
  let isExpected: @Sendable (Parameters) -> Bool

  /// Listens, opens the browser, and returns the first expected response.
  ///
  /// Afterwards the server is stopped, so that there is no second response.
  ///
  /// - Parameter openBrowser: A function that is called when the server listens. Its own parameter ends the wait with
  ///   an error.
  func response(
    _ openBrowser: @escaping @Sendable (_ giveUp: @escaping @Sendable (SignInError) -> Void) throws -> Void
  ) async throws -> Parameters {
    let (responses, continuation) = AsyncThrowingStream.makeStream(of: (Parameters, AsyncStream<Never>).self)
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: redirect.port), logger: .disabled)
    await server.appendRoute(HTTPRoute("GET \(redirect.path)")) { [isExpected] request in
      let response = Form.decode(request.target.query())
      guard isExpected(response) else {
        return Self.page(.badRequest, "This is not the response to a sign-in.")
      }
      let (sent, whenSent) = AsyncStream.makeStream(of: Never.self)
      continuation.yield((response, sent))
      return Self.page(.ok, "Thank you. You can close this window and go back to the app.", whenSent)
    }
    return try await withThrowingTaskGroup { group in
      group.addTask { try await listen(server) }
      group.addTask {
        try await server.waitUntilListening()
        try openBrowser { continuation.finish(throwing: $0) }
        for try await (response, sent) in responses {
          for await _ in sent {}
          return response
        }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      guard let response = try await group.next() else { throw CancellationError() }
      // On Linux, FlyingFox always uses up a timeout: closing a socket does not wake the task that waits for
      // connections.
      await server.stop(timeout: 0)
      return response
    }
  }

  private func listen(_ server: HTTPServer) async throws -> Parameters {
    do {
      try await server.run()
    } catch let error as SocketError {
      if case .failed = error { throw SignInError.cannotListen(port: redirect.port) }
      throw error
    }
    throw CancellationError()
  }

  private static func page(
    _ status: HTTPStatusCode, _ text: String, _ sent: AsyncStream<Never>.Continuation? = nil
  ) -> HTTPResponse {
    HTTPResponse(
      statusCode: status,
      headers: [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .connection: "close",
        HTTPHeader("Referrer-Policy"): "no-referrer",
      ],
      body: HTTPBodySequence(from: Page(text, sent: sent), count: text.utf8.count))
  }
}

/// A page for the browser.
///
/// It is deallocated when it was sent or can't be sent, which `sent` reports.
private final class Page: AsyncBufferedSequence {
  private let bytes: [UInt8]
  private let sent: AsyncStream<Never>.Continuation?

  init(_ text: String, sent: AsyncStream<Never>.Continuation?) {
    bytes = Array(text.utf8)
    self.sent = sent
  }

  deinit { sent?.finish() }

  func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...]) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var rest: ArraySlice<UInt8>

    mutating func next() async -> UInt8? { rest.popFirst() }

    mutating func nextBuffer(suggested count: Int) async -> ArraySlice<UInt8>? {
      defer { rest = rest.dropFirst(count) }
      return rest.isEmpty ? nil : rest.prefix(count)
    }
  }
}
