// SPDX-License-Identifier: MIT

/// The issuer from which a sign-in expects the authorization response.
///
/// The check prevents the mix-up attack that RFC 9207 describes: a response of one provider is not accepted for
/// another.
public struct ExpectedIssuer: Hashable, Sendable {
  /// The issuer identifier, the `issuer` in the provider's metadata.
  public let identifier: String

  /// Whether every authorization response of the issuer has an `iss` parameter.
  ///
  /// It is `authorization_response_iss_parameter_supported` in the provider's metadata.
  public let namesItself: Bool

  /// Creates an expected issuer.
  ///
  /// - Parameters:
  ///   - identifier: The issuer identifier.
  ///   - namesItself: Whether every response has an `iss` parameter. A response without one is then refused.
  public init(_ identifier: String, namesItself: Bool = false) {
    self.identifier = identifier
    self.namesItself = namesItself
  }

  /// Returns the rule that a response with this `iss` breaks, or `nil` when it breaks none.
  ///
  /// The identifiers are compared as strings, without normalization (RFC 9207 section 2.4).
  func problem(with name: String?) -> RedirectProblem.Rule? {
    if let name { return name == identifier ? nil : .otherIssuer }
    return namesItself ? .noIssuer : nil
  }
}
