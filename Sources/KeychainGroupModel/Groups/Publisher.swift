// SPDX-License-Identifier: MIT

/// Who publishes an app: what the App ID prefix (team id) is on Apple's systems.
///
/// ```swift
/// let app = try AppEntitlements(app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
/// ```
public struct Publisher: Hashable, Sendable, CustomStringConvertible {
  /// The publisher's name; at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public let name: String

  /// Makes a publisher.
  ///
  /// - Throws: `invalidArgument` for an empty, overlong or otherwise malformed name.
  public init(_ name: String) throws(SecretStoreError) {
    try IdentifierRule.check(name, what: "publisher's name")
    self.name = name
  }

  /// The name.
  public var description: String { name }
}
