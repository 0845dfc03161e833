// SPDX-License-Identifier: MIT

import FlyingFox
import FlyingSocks
import Foundation

/// Waits on the loopback interface for the browser to bring the provider's answer.
struct RedirectListener: Sendable {
  typealias Answer = [String: String]

  let redirect: LoopbackRedirect
  /// Whether an answer is the one waited for; all others are turned away, and the waiting goes on.
  let isExpected: @Sendable (Answer) -> Bool

  /// Listens, has the browser opened, and returns the first answer that is expected.
  ///
  /// There is no second one: then nobody listens any more.
  ///
  /// - Parameter openBrowser: Called when the browser can come; its own parameter ends the waiting with an
  ///   error.
  func answer(
    _ openBrowser: @escaping @Sendable (_ giveUp: @escaping @Sendable (SignInError) -> Void) throws -> Void
  ) async throws -> Answer {
    let (answers, mailbox) = AsyncThrowingStream.makeStream(of: Answer.self)
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: redirect.port), logger: .disabled)
    await server.appendRoute(HTTPRoute("GET \(redirect.path)")) { [isExpected] request in
      let answer = Form.decode(request.target.query())
      guard isExpected(answer) else { return Self.page(.badRequest, "This is not the answer to a sign-in.") }
      mailbox.yield(answer)
      return Self.page(.ok, "Thank you. You can close this window and go back to the app.")
    }
    return try await withThrowingTaskGroup { group in
      group.addTask { try await listen(server) }
      group.addTask {
        try await server.waitUntilListening()
        try openBrowser { mailbox.finish(throwing: $0) }
        for try await answer in answers { return answer }
        throw CancellationError()
      }
      defer { group.cancelAll() }
      guard let answer = try await group.next() else { throw CancellationError() }
      await server.stop(timeout: 5)  // seconds at most, for the page to reach the browser
      return answer
    }
  }

  private func listen(_ server: HTTPServer) async throws -> Answer {
    do {
      try await server.run()
    } catch let error as SocketError {
      if case .failed = error { throw SignInError.cannotListen(port: redirect.port) }
      throw error
    }
    throw CancellationError()
  }

  private static func page(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
    HTTPResponse(
      statusCode: status,
      headers: [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .connection: "close",
        HTTPHeader("Referrer-Policy"): "no-referrer",
      ],
      body: Data(text.utf8))
  }
}
