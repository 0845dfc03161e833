// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Synchronization

/// One HTTP request with a size limit for the response and without redirects.
final class BoundedTransfer: NSObject, URLSessionDataDelegate {
  /// The maximum size of a response, in bytes.
  static let maximumBytes = 1_048_576

  private struct State {
    var body = Data()
    var isTooLarge = false
    var continuation: CheckedContinuation<Void, any Error>?
  }

  private let state = Mutex(State())

  /// Sends a request and returns the complete response.
  ///
  /// Cancelling the task cancels the request.
  ///
  /// - Throws: ``UnusableAuthority`` when the response is too large.
  static func run(_ request: URLRequest) async throws -> (body: [UInt8], response: HTTPURLResponse?) {
    let transfer = BoundedTransfer()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration, delegate: transfer, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: request)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        transfer.state.withLock { $0.continuation = continuation }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    return (transfer.state.withLock { Array($0.body) }, task.response as? HTTPURLResponse)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = state.withLock { state in
      state.isTooLarge = state.isTooLarge || state.body.count + data.count > Self.maximumBytes
      if !state.isTooLarge { state.body += data }
      return state.isTooLarge
    }
    if isTooLarge { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let (continuation, isTooLarge) = state.withLock { ($0.continuation.take(), $0.isTooLarge) }
    if isTooLarge {
      continuation?.resume(
        throwing: UnusableAuthority(
          detail: "The authority's response has more than \(Self.maximumBytes) bytes."))
    } else if let error {
      continuation?.resume(throwing: error)
    } else {
      continuation?.resume()
    }
  }

  /// Refuses redirects, because a refresh token must not be sent to another address.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
