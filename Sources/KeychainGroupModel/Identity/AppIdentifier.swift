// SPDX-License-Identifier: MIT

/// The desktop application ID of an app, such as `com.contoso.mail`.
///
/// It is the counterpart of the bundle ID on Apple's systems. Sign-in state is stored per app, so the identifier must
/// not change between releases.
public struct AppIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The identifier; at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public let name: String

  /// Creates an app identifier.
  ///
  /// - Throws: `invalidArgument` when the identifier is empty, too long, begins with a dot or holds another character.
  public init(_ name: String) throws(SecretStoreError) {
    try IdentifierRule.check(name, what: "app identifier")
    self.name = name
  }

  /// The identifier.
  public var description: String { name }
}
