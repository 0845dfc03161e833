// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import SecretStoreCache

/// The token server of the test.
///
/// It responds as Azure AD does, but each refresh token can be redeemed only once.
struct TokenServer: TokenEndpoint {
  /// The current operation, which the server records.
  @TaskLocal static var operation = ""

  let address: String
  let client: String
  let family: String?

  /// Returns the home account id of an account.
  static func identifier(_ number: Int) -> String {
    "c0ffee00-0000-4000-8000-00000000000\(number).7a1e6a10-54c2-4b1b-8d39-3f0f1f6c9a55"
  }

  private let session = URLSession(configuration: .ephemeral)

  init(address: String, client: String, family: String?) {
    self.address = address
    self.client = client
    self.family = family
  }

  /// Signs in as a user would with a browser.
  func signIn(_ account: Int, scope: String) async throws -> TokenResponse {
    let form = "account=\(account)&scope=\(scope)&client_id=\(client)&family=\(family ?? "")"
    // Cancelling a request in Foundation's URLSession sometimes crashes the process, so the request is not cancelled.
    let task = Task { try await post(form, to: "sign-in") }
    return try TokenResponse(parsing: try await task.value.body)
  }

  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    try await post(request.formBody, to: "token")
  }

  private func post(_ form: String, to path: String) async throws -> TokenEndpointResponse {
    guard let url = URL(string: "\(address)/\(path)") else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.setValue(Self.operation, forHTTPHeaderField: "X-Operation")
    request.httpBody = Data(form.utf8)
    let (body, response) = try await session.data(for: request)
    return TokenEndpointResponse(
      status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: Array(body))
  }
}
