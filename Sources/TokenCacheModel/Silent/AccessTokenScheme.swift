// SPDX-License-Identifier: MIT

/// How an access token is used: as a bearer token, or bound to a key of the app.
///
/// ```swift
/// let proof = AccessTokenScheme(
///   tokenType: "pop", keyID: thumbprint, requestParameters: [("token_type", "pop"), ("req_cnf", confirmation)])
/// ```
///
/// A bound token is found again only under its scheme and key, and never handed out as a bearer token. The key
/// itself stays with the caller.
public struct AccessTokenScheme: Sendable {
  /// The scheme as `token_type` names it, such as `pop` or `ssh-cert`, in any case; `nil` for a bearer token.
  public let tokenType: String?
  /// The identifier of the key that the token is bound to.
  public let keyID: String?
  /// What the scheme adds to a token request.
  public let requestParameters: [(name: String, value: String)]

  /// A bearer token (RFC 6750).
  public static let bearer = AccessTokenScheme(tokenType: nil, keyID: nil, requestParameters: [])

  private init(tokenType: String?, keyID: String?, requestParameters: [(name: String, value: String)]) {
    self.tokenType = tokenType.flatMap { ["", "bearer"].contains($0.lowercased()) ? nil : $0 }
    self.keyID = keyID
    self.requestParameters = requestParameters
  }

  /// A scheme that binds the token to a key; `Bearer` is ``bearer``'s.
  public init(tokenType: String, keyID: String?, requestParameters: [(name: String, value: String)] = []) {
    self.init(tokenType: Optional(tokenType), keyID: keyID, requestParameters: requestParameters)
  }
}

extension AccessTokenScheme: CustomStringConvertible, CustomReflectable {
  /// The scheme, without its parameters.
  public var description: String { "AccessTokenScheme(\(tokenType ?? "Bearer"))" }

  /// Shows the scheme only.
  public var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType as Any]) }
}
