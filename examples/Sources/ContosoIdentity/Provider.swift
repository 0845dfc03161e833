// SPDX-License-Identifier: MIT

public import Foundation
import SecretStoreCache

/// What an OpenID provider's discovery document says of it.
public struct Provider: Sendable, Hashable {
  /// Who the provider is: the URL under which it was discovered.
  public let issuer: String
  /// Where the browser is sent.
  public let authorizationEndpoint: URL
  /// Where codes and refresh tokens are redeemed.
  public let tokenEndpoint: URL

  private struct Document: Decodable {
    let issuer: String
    let authorizationEndpoint: URL
    let tokenEndpoint: URL

    enum CodingKeys: String, CodingKey {
      case issuer
      case authorizationEndpoint = "authorization_endpoint"
      case tokenEndpoint = "token_endpoint"
    }
  }

  /// Reads a discovery document.
  ///
  /// - Parameter asked: The issuer that the document was asked for. One that names another issuer is refused,
  ///   to the letter (OpenID Connect Discovery 1.0 section 4.3): it could send the user's code to somebody
  ///   else.
  /// - Throws: `serverError` when it is no such document.
  init(document: [UInt8], asked: String) throws {
    guard let found = try? JSONDecoder().decode(Document.self, from: Data(document)) else {
      throw SecretStoreError(.serverError, "The provider's discovery document lacks an endpoint.")
    }
    guard found.issuer == asked else {
      throw SecretStoreError(.serverError, "The discovery document is another issuer's than was asked for.")
    }
    guard Self.isSecure(found.authorizationEndpoint), Self.isSecure(found.tokenEndpoint) else {
      throw SecretStoreError(.serverError, "One of the provider's endpoints is not an https URL.")
    }
    self.issuer = asked
    self.authorizationEndpoint = found.authorizationEndpoint
    self.tokenEndpoint = found.tokenEndpoint
  }

  /// Endpoints are held to the rule for issuers: `https`, or `http` on the loopback interface.
  ///
  /// An endpoint may have a query, where an issuer may not.
  private static func isSecure(_ endpoint: URL) -> Bool {
    var address = URLComponents(url: endpoint, resolvingAgainstBaseURL: true)
    address?.query = nil
    return (try? Authority(address?.string ?? "")) != nil
  }
}
