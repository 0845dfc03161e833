// SPDX-License-Identifier: MIT

import AuthorityExchange
import Foundation
import FoundationNetworking
import TokenCacheModel

/// The token endpoint of a request's authority, found by OpenID Connect Discovery 1.0.
struct DiscoveredEndpoint {
  /// How long an exchange may be silent, and how long it may take, in seconds.
  private static let timeLimit = 30.0

  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.timeoutIntervalForResource = Self.timeLimit
    self.session = URLSession(
      configuration: configuration, delegate: RedirectionRefusal(), delegateQueue: nil)
  }

  func send(_ request: ExchangeRequest) async throws -> TokenEndpointReply {
    let endpoint = try await tokenEndpoint(of: request.authority)
    var post = URLRequest(url: endpoint, timeoutInterval: Self.timeLimit)
    post.httpMethod = "POST"
    for header in request.headers { post.setValue(header.value, forHTTPHeaderField: header.name) }
    post.httpBody = Data(request.body.utf8)
    let (body, response) = try await session.data(for: post)
    let answer = response as? HTTPURLResponse
    return TokenEndpointReply(
      status: answer?.statusCode ?? 0, body: Array(body),
      retryAfter: answer?.value(forHTTPHeaderField: "Retry-After"))
  }

  /// Reads the authority's configuration.
  ///
  /// Its token endpoint must be as safe to send to as the authority is: https, or loopback under a loopback
  /// authority.
  private func tokenEndpoint(of authority: Authority) async throws -> URL {
    let address = authority.discoveryURL
    let (body, response) = try await session.data(
      for: URLRequest(url: address, timeoutInterval: Self.timeLimit))
    guard (response as? HTTPURLResponse)?.statusCode == 200,
      let configuration = (try? JSONValue(parsing: Array(body)))?.objectValue,
      let text = configuration["token_endpoint"]?.stringValue, let endpoint = URL(string: text)
    else { throw UnusableAuthority(detail: "The authority has no OpenID configuration at \(address).") }
    guard
      endpoint.scheme == "https" || (authority.url.scheme == "http" && endpoint.host == authority.url.host)
    else {
      throw UnusableAuthority(detail: "The authority's token endpoint is not an https URL.")
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
