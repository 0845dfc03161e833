// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// The provider's endpoints, discovered when a request first needs them: a token from the cache needs none.
actor Provider: TokenEndpoint {
  private let authority: Authority
  private let http: any HTTPClient
  private var found: (token: URL, deviceAuthorization: URL?)?

  init(_ authority: Authority, _ http: any HTTPClient) {
    self.authority = authority
    self.http = http
  }

  /// Redeems a refresh token, when the token cache asks for it.
  func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
    let url = request.authority.kind == .openID ? try await endpoints().token : try request.url
    return try await http.send(request.formBody, to: url, headers: request.headers)
  }

  func post(_ form: [(name: String, value: String)], to url: URL) async throws -> TokenEndpointResponse {
    let headers = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    return try await http.send(TokenRequest.encode(form), to: url, headers: headers)
  }

  /// Reads the discovery document (OpenID Connect Discovery 1.0).
  ///
  /// - Throws: `invalidResponse` without a secure token endpoint, or from another provider; `serverError` for none.
  func endpoints() async throws -> (token: URL, deviceAuthorization: URL?) {
    if let found { return found }
    let response = try await http.send(nil, to: authority.discoveryURL, headers: [])
    guard response.status == 200 else { throw SecretStoreError(.serverError, "No discovery document.") }
    let members = try? JSONObject(parsing: response.body)
    func url(_ name: String) -> URL? { members?[name]?.stringValue.flatMap { URL(string: $0) } }
    let device = url("device_authorization_endpoint")
    guard let token = url("token_endpoint"), [token, device ?? token].allSatisfy(Authority.isSecure),
      authority.kind != .openID || members?["issuer"]?.stringValue == authority.url.absoluteString
    else { throw SecretStoreError(.invalidResponse, "The discovery document is not this provider's.") }
    found = (token, device)
    return (token, device)
  }
}
