// SPDX-License-Identifier: MIT

public import Foundation
import SecretStoreCache

/// The configuration from an OpenID provider's discovery document.
public struct Provider: Sendable, Hashable {
  /// The issuer: the URL from which the document was discovered.
  public let issuer: String
  /// The URL that the browser opens.
  public let authorizationEndpoint: URL
  /// The URL that redeems authorization codes and refresh tokens.
  public let tokenEndpoint: URL
  /// The URL that returns claims about the user; `nil` when the provider has none.
  public let userInfoEndpoint: URL?

  private struct Document: Decodable {
    let issuer: String
    let authorizationEndpoint: URL
    let tokenEndpoint: URL
    let userInfoEndpoint: URL?

    enum CodingKeys: String, CodingKey {
      case issuer
      case authorizationEndpoint = "authorization_endpoint"
      case tokenEndpoint = "token_endpoint"
      case userInfoEndpoint = "userinfo_endpoint"
    }
  }

  /// Parses a discovery document.
  ///
  /// - Parameter asked: The issuer that was requested. The document's issuer must be identical (OpenID Connect
  ///   Discovery 1.0 section 4.3). Otherwise it could send the user's authorization code to someone else.
  /// - Throws: `serverError` when the document is invalid.
  init(document: [UInt8], expected issuer: String) throws {
    guard let found = try? JSONDecoder().decode(Document.self, from: Data(document)) else {
      throw SecretStoreError(.serverError, "The provider's discovery document lacks an endpoint.")
    }
    guard found.issuer == issuer else {
      throw SecretStoreError(.serverError, "The discovery document is another issuer's than was asked for.")
    }
    let endpoints = [found.authorizationEndpoint, found.tokenEndpoint, found.userInfoEndpoint]
    guard endpoints.allSatisfy({ $0.map(Authority.isSecure) ?? true }) else {
      throw SecretStoreError(.serverError, "One of the provider's endpoints is not an https URL.")
    }
    self.issuer = issuer
    self.authorizationEndpoint = found.authorizationEndpoint
    self.tokenEndpoint = found.tokenEndpoint
    self.userInfoEndpoint = found.userInfoEndpoint
  }
}
