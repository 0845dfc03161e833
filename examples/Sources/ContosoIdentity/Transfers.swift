// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import SecretStoreCache
import Synchronization

/// The delegate of a session, which bounds what a server may send and returns a redirect as the response instead of
/// following it.
final class Transfers: NSObject, URLSessionDataDelegate {
  /// The largest body that is read, in bytes.
  static let maximumBytes = 1 << 20

  typealias Completion = CheckedContinuation<(Data, URLResponse?), any Error>

  private enum Transfer: Sendable {
    case running(Completion, body: Data)
    /// Refused, because the body is too large.
    case refused
    /// Cancelled before ``run(_:)`` waited for it.
    case cancelled
  }

  private let transfers = Mutex<[Int: Transfer]>([:])

  /// Runs a task of the session to its end.
  ///
  /// - Throws: `serverError` when the body is too large, and the errors of the session.
  func run(_ task: URLSessionDataTask) async throws -> (Data, URLResponse?) {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (completion: Completion) in
        let wasCancelled = transfers.withLock { transfers in
          if transfers.removeValue(forKey: task.taskIdentifier) != nil { return true }
          transfers[task.taskIdentifier] = .running(completion, body: Data())
          return false
        }
        if wasCancelled { completion.resume(throwing: CancellationError()) } else { task.resume() }
      }
    } onCancel: {
      task.cancel()
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let exceeding: Completion? = transfers.withLock { transfers in
      guard case .running(let completion, var body) = transfers[dataTask.taskIdentifier] else { return nil }
      // The body has one owner, so that it grows in place.
      transfers[dataTask.taskIdentifier] = .refused
      if body.count + data.count > Self.maximumBytes { return completion }
      body.append(data)
      transfers[dataTask.taskIdentifier] = .running(completion, body: body)
      return nil
    }
    guard let exceeding else { return }
    exceeding.resume(
      throwing: SecretStoreError(.serverError, "The provider's response is larger than a mebibyte."))
    dataTask.cancel()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let ended = transfers.withLock { transfers in
      let ended = transfers.removeValue(forKey: task.taskIdentifier)
      if ended == nil { transfers[task.taskIdentifier] = .cancelled }
      return ended
    }
    guard case .running(let completion, let body) = ended else { return }
    if let error {
      completion.resume(throwing: error)
    } else {
      completion.resume(returning: (body, task.response))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
