// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import SecretStoreCache

/// A small HTTP client for tokens, which always ends, keeps nothing on disk and sends no cookies.
///
/// It follows no redirection: that could carry a refresh token to another address.
struct WebClient: Sendable {
  /// How long one exchange may take.
  ///
  /// A refresh needs two at most, discovery and the token, and other apps wait for it half a minute
  /// (`SecretStoreOptions.leasePatience`).
  private static let timeLimit = Duration.seconds(12)

  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    self.session = URLSession(
      configuration: configuration, delegate: RedirectionRefusal(), delegateQueue: nil)
  }

  func get(_ url: URL) async throws -> TokenEndpointReply { try await send(URLRequest(url: url)) }

  func post(_ form: String, to url: URL) async throws -> TokenEndpointReply {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(form.utf8)
    return try await send(request)
  }

  private func send(_ request: URLRequest) async throws -> TokenEndpointReply {
    var request = request
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    do {
      let exchange = try await TimeLimit.run(Self.timeLimit) { [session, request] in
        try await session.data(for: request)
      }
      guard let (body, response) = exchange else {
        throw SecretStoreError(.networkError, "The provider did not answer in time.")
      }
      let answer = response as? HTTPURLResponse
      return TokenEndpointReply(
        status: answer?.statusCode ?? 0, body: Array(body),
        retryAfter: answer?.value(forHTTPHeaderField: "Retry-After"))
    } catch let error as URLError {
      try Task.checkCancellation()
      throw SecretStoreError(
        .networkError, "The provider could not be reached: \(error.localizedDescription)")
    }
  }
}
