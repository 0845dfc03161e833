// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// A cache of the provider's endpoints, which are discovered when they are first needed (OpenID Connect Discovery
/// 1.0).
///
/// A silent call that is served from the cache needs no discovery, so it works offline.
actor Discovery {
  private let issuer: String
  private let web: WebClient
  private var found: Provider?

  init(issuer: String, web: WebClient) {
    self.issuer = issuer
    self.web = web
  }

  func provider() async throws -> Provider {
    if let found { return found }
    let response = try await web.get(try Authority(issuer, kind: .openID).discoveryURL)
    guard response.status == 200 else {
      throw SecretStoreError(.serverError, "The response to discovery has the status \(response.status).")
    }
    let provider = try Provider(document: response.body, expected: issuer)
    found = provider
    return provider
  }
}
