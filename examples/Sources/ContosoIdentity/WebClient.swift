// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import SecretStoreCache

/// A small HTTP client for token requests.
///
/// Every request has a time limit, and every response a limit of its size. It stores nothing on disk and sends no
/// cookies.
///
/// It follows no redirects, because they could send a refresh token to another address.
struct WebClient: Sendable {
  /// The time limit of one request.
  ///
  /// A refresh needs at most two requests: discovery and the token. Other apps wait for it for half a minute
  /// (`SecretStoreOptions.leaseTimeout`).
  private static let timeLimit = Duration.seconds(12)

  private let session: URLSession
  private let transfers = Transfers()

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    self.session = URLSession(
      configuration: configuration, delegate: transfers, delegateQueue: nil)
  }

  /// - Parameter accessToken: The token for the `Authorization` header; `nil` for none.
  func get(_ url: URL, accessToken: String? = nil) async throws -> TokenEndpointResponse {
    var request = URLRequest(url: url)
    if let accessToken { request.setValue("Bearer \(accessToken)", forHTTPHeaderField: "Authorization") }
    return try await send(request)
  }

  func post(
    _ form: String, to url: URL,
    headers: [(name: String, value: String)] = [
      (name: "Content-Type", value: "application/x-www-form-urlencoded")
    ]
  ) async throws -> TokenEndpointResponse {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
    request.httpBody = Data(form.utf8)
    return try await send(request)
  }

  private func send(_ request: URLRequest) async throws -> TokenEndpointResponse {
    var request = request
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    do {
      let transfer = try await TimeLimit.run(Self.timeLimit) { [session, transfers, request] in
        try await transfers.run(session.dataTask(with: request))
      }
      guard let (body, response) = transfer else {
        throw SecretStoreError(.networkError, "The provider did not respond in time.")
      }
      let http = response as? HTTPURLResponse
      return TokenEndpointResponse(
        status: http?.statusCode ?? 0, body: Array(body),
        retryAfter: http?.value(forHTTPHeaderField: "Retry-After"))
    } catch let error as URLError {
      try Task.checkCancellation()
      throw SecretStoreError(
        .networkError, "The provider could not be reached: \(error.localizedDescription)")
    }
  }
}
