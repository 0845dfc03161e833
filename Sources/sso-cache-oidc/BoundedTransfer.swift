// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import StrictJSON
import Synchronization

/// One HTTP request with a size limit for the response and without redirects.
final class BoundedTransfer: NSObject, URLSessionDataDelegate {
  /// The maximum size of a response, in bytes.
  static let maximumBytes = 4_194_304

  private struct State {
    var body = Data()
    var continuation: CheckedContinuation<Void, any Error>?
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// Sends a request and returns the complete response.
  ///
  /// A body that is a whole JSON object, as `JSONParser.parseLeniently` reads it, counts as complete, although its length
  /// is not the announced one or the server has not ended it: a refresh token in it can be had only once. Cancelling the
  /// task cancels the request.
  ///
  /// - Throws: ``UnusableAuthority`` when the response is too large.
  static func run(_ request: URLRequest) async throws -> (body: [UInt8], response: HTTPURLResponse?) {
    let transfer = BoundedTransfer()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration, delegate: transfer, delegateQueue: nil)
    // It does not wait for the session, which is busy with what a server sends without end.
    defer { session.finishTasksAndInvalidate() }
    let task = session.dataTask(with: request)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = transfer.state.withLock { state in
          state.continuation = continuation
          return state.isCancelled
        }
        if isCancelled { transfer.end(task, throwing: CancellationError()) } else { task.resume() }
      }
    } onCancel: {
      transfer.state.withLock { $0.isCancelled = true }
      transfer.end(task, throwing: CancellationError())
    }
    return (transfer.state.withLock { Array($0.body) }, task.response as? HTTPURLResponse)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = state.withLock { state in
      if state.body.count + data.count > Self.maximumBytes { return true }
      state.body += data
      return false
    }
    guard isTooLarge else { return }
    end(
      dataTask,
      throwing: UnusableAuthority(
        detail: "The authority's response has more than \(Self.maximumBytes) bytes."))
  }

  /// Ends the request at once.
  ///
  /// A session that is busy with what a server sends without end is slow to report that its task was cancelled.
  private func end(_ task: URLSessionTask, throwing error: any Error) {
    finish(task, throwing: error)
    task.cancel()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    finish(task, throwing: error)
  }

  private func finish(_ task: URLSessionTask, throwing error: (any Error)?) {
    let (taken, body) = state.withLock { ($0.continuation.take(), $0.body) }
    guard let continuation = taken else { return }
    guard let error else { return continuation.resume() }
    let isWhole = task.response != nil && (try? JSONParser.parseLeniently(Array(body)))?.objectValue != nil
    if isWhole { continuation.resume() } else { continuation.resume(throwing: error) }
  }

  /// Uses the response of a server that asks for a password, which the session would wait for.
  ///
  /// The response has arrived whole by now; a challenge that is refused ends the task with an error.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    finish(task, throwing: nil)
    completionHandler(.rejectProtectionSpace, nil)
  }

  /// Refuses redirects, because a refresh token must not be sent to another address.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
