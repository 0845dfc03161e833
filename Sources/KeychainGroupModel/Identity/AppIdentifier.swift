// SPDX-License-Identifier: MIT

/// Which app is acting: its desktop application id, such as `com.contoso.mail` (what the bundle id is on
/// Apple's systems).
///
/// Sign-in state is kept for each app, so the identifier must not change between releases.
public struct AppIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The identifier; at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public let name: String

  /// Makes an app identifier.
  ///
  /// - Throws: `invalidArgument` for an empty, overlong or otherwise malformed identifier.
  public init(_ name: String) throws(SecretStoreError) {
    try IdentifierRule.check(name, what: "app identifier")
    self.name = name
  }

  /// The identifier.
  public var description: String { name }
}
