// SPDX-License-Identifier: MIT

/// The provider's answer to a sign-in, as it arrived at the app's redirect URI and was found to be genuine.
///
/// It holds a secret, the authorization code, and is shown by nothing. Redeem it at once, with the redirect
/// URI that is in it: a code is good for a minute or so, and once.
public struct AuthorizationAnswer: Sendable {
  /// The redirect URI of the sign-in, which goes into the token request (RFC 6749 section 4.1.3).
  public let redirectURI: RedirectURI

  /// The authorization code.
  public let code: String

  private let parameters: [String: String]

  init(redirectURI: RedirectURI, code: String, parameters: [String: String]) {
    self.redirectURI = redirectURI
    self.code = code
    self.parameters = parameters
  }

  /// Another parameter of the answer, decoded: `iss` (RFC 9207), `client_info`, `session_state`.
  public subscript(name: String) -> String? { parameters[name] }
}

extension AuthorizationAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The redirect URI, and that there is more.
  public var description: String { "AuthorizationAnswer(\(redirectURI), redacted)" }

  /// As the description.
  public var debugDescription: String { description }

  /// A mirror without the code and the parameters.
  public var customMirror: Mirror { Mirror(self, children: ["redirectURI": redirectURI]) }
}
