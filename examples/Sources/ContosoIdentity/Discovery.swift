// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// Finds a provider's endpoints when they are first needed, and keeps them (OpenID Connect Discovery 1.0).
///
/// A silent call that the cache can answer never comes here, so it works without a network.
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
    let place = issuer.hasSuffix("/") ? issuer : issuer + "/"
    guard let url = URL(string: place + ".well-known/openid-configuration") else {
      throw SecretStoreError(.invalidArgument, "The issuer is not a URL.")
    }
    let reply = try await web.get(url)
    guard reply.status == 200 else {
      throw SecretStoreError(.serverError, "The provider answered discovery with status \(reply.status).")
    }
    let provider = try Provider(document: reply.body, asked: issuer)
    found = provider
    return provider
  }
}
