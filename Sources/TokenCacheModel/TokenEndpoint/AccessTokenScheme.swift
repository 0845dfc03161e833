// SPDX-License-Identifier: MIT

/// The way an access token is used: as a bearer token, or bound to a key of the app.
///
/// ```swift
/// let proof = AccessTokenScheme(
///   tokenType: "pop", keyID: thumbprint, requestParameters: [("token_type", "pop"), ("req_cnf", confirmation)])
/// ```
///
/// The cache returns a bound token only for its scheme and key, and never as a bearer token. The key itself stays with
/// the caller.
public struct AccessTokenScheme: Sendable {
  /// The scheme as in `token_type`, such as `pop` or `ssh-cert`, in any case; `nil` for a bearer token.
  public let tokenType: String?
  /// The identifier of the key that the token is bound to.
  public let keyID: String?
  /// The parameters that the scheme adds to a token request.
  public let requestParameters: [(name: String, value: String)]

  /// A bearer token (RFC 6750).
  public static let bearer = AccessTokenScheme(tokenType: nil, keyID: nil, requestParameters: [])

  private init(tokenType: String?, keyID: String?, requestParameters: [(name: String, value: String)]) {
    self.tokenType = tokenType.flatMap { ["", "bearer"].contains($0.lowercased()) ? nil : $0 }
    self.keyID = keyID
    self.requestParameters = requestParameters
  }

  /// Creates a scheme that binds the token to a key; an empty type or `Bearer` makes it a bearer token.
  public init(tokenType: String, keyID: String?, requestParameters: [(name: String, value: String)] = []) {
    self.init(tokenType: Optional(tokenType), keyID: keyID, requestParameters: requestParameters)
  }
}

extension AccessTokenScheme: CustomStringConvertible, CustomReflectable {
  /// The scheme, without its parameters.
  public var description: String { "AccessTokenScheme(\(tokenType ?? "Bearer"))" }

  /// A mirror that shows the scheme only.
  public var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType as Any]) }
}
