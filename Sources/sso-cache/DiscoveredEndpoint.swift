// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import SecretStoreCache

/// An authority's token endpoint, found by OpenID Connect Discovery 1.0 when it is first needed.
struct DiscoveredEndpoint: TokenEndpoint {
  private let authority: Authority

  /// How long each exchange may take, in seconds.
  private static let timeLimit = 30.0

  init(_ authority: Authority) { self.authority = authority }

  func send(_ request: TokenRequest) async throws -> TokenEndpointReply {
    var post = URLRequest(url: try await tokenEndpoint(), timeoutInterval: Self.timeLimit)
    post.httpMethod = "POST"
    post.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    post.setValue("application/json", forHTTPHeaderField: "Accept")
    post.httpBody = Data(request.formBody.utf8)
    let (body, response) = try await URLSession.shared.data(for: post)
    return TokenEndpointReply(status: (response as? HTTPURLResponse)?.statusCode ?? 0, body: Array(body))
  }

  /// Reads the authority's configuration.
  ///
  /// Its token endpoint must be as safe to send to as the authority is: https, or loopback under a loopback
  /// authority.
  private func tokenEndpoint() async throws -> URL {
    let address = authority.discoveryURL
    let (body, response) = try await URLSession.shared.data(
      for: URLRequest(url: address, timeoutInterval: Self.timeLimit))
    guard (response as? HTTPURLResponse)?.statusCode == 200,
      let configuration = (try? JSONValue(parsing: Array(body)))?.objectValue,
      let text = configuration["token_endpoint"]?.stringValue, let endpoint = URL(string: text)
    else { throw SecretStoreError(.networkError, "The authority has no OpenID configuration at \(address).") }
    guard endpoint.scheme == "https" || endpoint.host == authority.url.host else {
      throw SecretStoreError(.networkError, "The authority's token endpoint is not an https URL.")
    }
    return endpoint
  }
}

extension Authority {
  /// Where the authority's OpenID configuration is: below the issuer; Azure AD's version 2 has its own path.
  fileprivate var discoveryURL: URL {
    let base = kind == .aad && !url.path.hasSuffix("/v2.0") ? url.appendingPathComponent("v2.0") : url
    return base.appendingPathComponent(".well-known/openid-configuration")
  }
}
