// SPDX-License-Identifier: MIT

import Foundation
import OIDCHelperProtocol
import StrictJSON
import TokenCacheModel

/// The token endpoint of a request's authority, found with OpenID Connect Discovery 1.0.
struct DiscoveredEndpoint {
  /// Sends a request within its time limit, which is for discovery and the token request together.
  ///
  /// At the limit, the response counts if its body is whole although the server has not ended it. A part of the limit
  /// is kept for the token request: see ``HelperRequest/reserve``.
  func send(_ request: HelperRequest) async throws -> TokenEndpointResponse {
    let limit = Duration.milliseconds(request.limit)
    let reserve = Duration.milliseconds(request.reserve)
    let start = ContinuousClock.now
    let endpoint = try await within(max(.zero, limit - reserve)) {
      try await tokenEndpoint(of: request.authority)
    }
    let rest = max(limit - (ContinuousClock.now - start), reserve)
    let response = try await within(rest) {
      try await HTTPExchange.run(
        HTTPExchange.Request(url: endpoint, headers: request.headers, form: request.body))
    }
    return TokenEndpointResponse(
      status: response.status, body: response.body, retryAfter: response.retryAfter)
  }

  /// Runs an exchange, and cancels it at a time limit.
  private func within<Output: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Output
  ) async throws -> Output {
    let exchange = Task { try await body() }
    let timer = Task {
      try await sleep(running: limit)
      exchange.cancel()
    }
    defer { timer.cancel() }
    do {
      return try await exchange.value
    } catch  where exchange.isCancelled {
      throw HTTPExchange.Failure.timedOut
    }
  }

  /// Returns the token endpoint from the authority's configuration.
  ///
  /// The configuration's issuer must be the authority (OpenID Connect Discovery 1.0 section 4.3). The token endpoint
  /// must use https; under an http authority, which is a loopback address, the endpoint may also be on the same host.
  private func tokenEndpoint(of authority: Authority) async throws -> URL {
    let address = authority.discoveryURL
    let response = try await HTTPExchange.run(HTTPExchange.Request(url: address))
    guard response.status == 200, let configuration = (try? JSONValue(parsing: response.body))?.objectValue,
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
