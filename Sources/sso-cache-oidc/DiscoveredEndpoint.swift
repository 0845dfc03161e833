// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import OIDCHelperProtocol
import StrictJSON
import TokenCacheModel

/// The token endpoint of a request's authority, found with OpenID Connect Discovery 1.0.
struct DiscoveredEndpoint {
  /// Sends a request within its time limit, which is for discovery and the token request together.
  ///
  /// At the limit, the response counts if its body is whole although the server has not ended it.
  ///
  /// Unencrypted requests bypass all proxies, so they stay on this machine.
  func send(_ request: HelperRequest) async throws -> TokenEndpointResponse {
    if request.authority.url.scheme == "http" {
      for name in ["no_proxy", "NO_PROXY"] { unsafe setenv(name, "*", 1) }
    }
    let exchange = Task { try await post(request) }
    let timer = Task {
      try await Task.sleep(for: .milliseconds(request.limit))
      exchange.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await exchange.value
    } catch  where exchange.isCancelled {
      throw URLError(.timedOut)
    }
  }

  private func post(_ request: HelperRequest) async throws -> TokenEndpointResponse {
    let endpoint = try await tokenEndpoint(of: request.authority)
    var urlRequest = URLRequest(url: endpoint)
    urlRequest.httpMethod = "POST"
    for header in request.headers { urlRequest.setValue(header.value, forHTTPHeaderField: header.name) }
    urlRequest.httpBody = Data(request.body.utf8)
    let (body, response) = try await BoundedTransfer.run(urlRequest)
    return TokenEndpointResponse(
      status: response?.statusCode ?? 0, body: body,
      retryAfter: response?.value(forHTTPHeaderField: "Retry-After"))
  }

  /// Returns the token endpoint from the authority's configuration.
  ///
  /// The configuration's issuer must be the authority (OpenID Connect Discovery 1.0 section 4.3). The token endpoint
  /// must use https; under an http authority, which is a loopback address, the endpoint may also be on the same host.
  private func tokenEndpoint(of authority: Authority) async throws -> URL {
    let address = authority.discoveryURL
    let (body, response) = try await BoundedTransfer.run(URLRequest(url: address))
    guard response?.statusCode == 200, let configuration = (try? JSONValue(parsing: body))?.objectValue,
      let text = configuration["token_endpoint"]?.stringValue, let endpoint = URL(string: text)
    else { throw UnusableAuthority(detail: "The authority has no OpenID configuration at \(address).") }
    guard let issuer = configuration["issuer"]?.stringValue, authority.isIssuer(issuer) else {
      throw UnusableAuthority(
        detail: "The OpenID configuration at \(address) is another issuer's than the authority's.")
    }
    guard
      endpoint.scheme == "https" || (authority.url.scheme == "http" && endpoint.host == authority.url.host)
    else {
      throw UnusableAuthority(detail: "The authority's token endpoint is not an https URL.")
    }
    return endpoint
  }
}

/// An error for an authority that responds but can't be used to refresh a token.
struct UnusableAuthority: Error {
  /// The error message in one sentence, without secrets.
  let detail: String
}
