// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// The provider's endpoints, which are discovered when a request first needs them.
///
/// A token from the cache needs none, so it is returned offline.
actor Provider: TokenEndpoint {
  struct Endpoints {
    let token: URL
    let deviceAuthorization: URL
  }

  private let authority: Authority
  private let http: any HTTPClient
  private var found: Endpoints?

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
    let type = (name: "Content-Type", value: "application/x-www-form-urlencoded")
    return try await http.send(TokenRequest.encode(form), to: url, headers: [type])
  }

  /// Reads the discovery document (OpenID Connect Discovery 1.0).
  ///
  /// - Throws: `invalidResponse` when it lacks an endpoint, an endpoint is not an https URL, or it is another issuer's.
  func endpoints() async throws -> Endpoints {
    if let found { return found }
    let version = [.aad, .b2c].contains(authority.kind) ? "v2.0/" : ""
    let address = authority.url.appending(path: version + ".well-known/openid-configuration")
    let response = try await http.send(nil, to: address, headers: [])
    let members = response.status == 200 ? try? JSONObject(parsing: response.body) : nil
    func url(_ name: String) -> URL? { members?[name]?.stringValue.flatMap { URL(string: $0) } }
    guard let token = url("token_endpoint"), let device = url("device_authorization_endpoint"),
      Authority.isSecure(token), Authority.isSecure(device),
      authority.kind != .openID || members?["issuer"]?.stringValue == authority.url.absoluteString
    else { throw SecretStoreError(.invalidResponse, "The discovery document is not this provider's.") }
    let endpoints = Endpoints(token: token, deviceAuthorization: device)
    found = endpoints
    return endpoints
  }
}
