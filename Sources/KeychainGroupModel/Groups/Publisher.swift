// SPDX-License-Identifier: MIT

/// The publisher of an app, the counterpart of the App ID prefix (team ID) on Apple's systems.
///
/// ```swift
/// let app = try AppEntitlements(app: "com.contoso.mail", publisher: "com.contoso", groups: ["com.contoso.shared"])
/// ```
public struct Publisher: Hashable, Sendable, CustomStringConvertible {
  /// The publisher's name; at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public let name: String

  /// Creates a publisher.
  ///
  /// - Throws: `invalidArgument` when the name is empty, too long, begins with a dot or holds another character.
  public init(_ name: String) throws(SecretStoreError) {
    try IdentifierRule.check(name, what: "publisher's name")
    self.name = name
  }

  /// The name.
  public var description: String { name }
}
