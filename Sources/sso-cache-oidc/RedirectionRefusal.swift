// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking

/// Follows no redirection: a refresh token must not be carried to another address.
final class RedirectionRefusal: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
