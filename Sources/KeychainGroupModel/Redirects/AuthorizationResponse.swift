// SPDX-License-Identifier: MIT

/// A verified authorization response that arrived at the app's redirect URI.
///
/// It holds a secret, the authorization code, which no description shows. Redeem the code at once, with the redirect
/// URI of this response. A code is valid once, and for about a minute.
public struct AuthorizationResponse: Sendable {
  /// The redirect URI of the sign-in, which the token request repeats (RFC 6749 section 4.1.3).
  public let redirectURI: RedirectURI

  /// The authorization code.
  public let code: String

  private let parameters: [String: String]

  init(redirectURI: RedirectURI, code: String, parameters: [String: String]) {
    self.redirectURI = redirectURI
    self.code = code
    self.parameters = parameters
  }

  /// Returns another parameter of the response, decoded, such as `iss` (RFC 9207), `client_info` or `session_state`.
  public subscript(name: String) -> String? { parameters[name] }
}

extension AuthorizationResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The redirect URI, without the code and the parameters.
  public var description: String { "AuthorizationResponse(\(redirectURI), redacted)" }

  /// The same text as the description.
  public var debugDescription: String { description }

  /// A mirror without the code and the parameters.
  public var customMirror: Mirror { Mirror(self, children: ["redirectURI": redirectURI]) }
}
