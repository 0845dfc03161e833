// SPDX-License-Identifier: MIT

/// A keychain access group: the name under which apps of one publisher share accounts and tokens.
///
/// ```swift
/// let group = try AccessGroup("com.contoso.shared", publisher: "contoso")
/// ```
///
/// Groups of one name that belong to different publishers never meet, as on Apple's systems, where the group
/// carries the App ID prefix. A group is a promise between cooperating apps: see the README for what it does
/// and does not protect.
public struct AccessGroup: Hashable, Sendable {
  /// The group's name, in reverse-DNS form; at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public let name: String

  /// The publisher that the group belongs to, or `nil` for the groups of no publisher.
  public let publisher: Publisher?

  /// Makes a group of a publisher.
  ///
  /// - Throws: `invalidArgument` when the name is empty, longer than 200 bytes, begins with a dot (gnome-keyring
  ///   loses such a collection when it restarts) or holds any other character than those above.
  public init(_ name: String, publisher: Publisher? = nil) throws(SecretStoreError) {
    try IdentifierRule.check(name, what: "access group's name")
    self.name = name
    self.publisher = publisher
  }

  /// For a name that is known to be valid.
  init(checked name: String, publisher: Publisher? = nil) {
    self.name = name
    self.publisher = publisher
  }

  /// The group that MSAL and ADAL share by default on iOS, `com.microsoft.adalcache`.
  public static let adalCache = AccessGroup(checked: "com.microsoft.adalcache")

  /// The group that MSAL uses by default on macOS, `com.microsoft.identity.universalstorage`.
  public static let universalStorage = AccessGroup(checked: "com.microsoft.identity.universalstorage")
}

extension AccessGroup: CustomStringConvertible {
  /// The name, with the publisher before it where there is one.
  public var description: String {
    guard let publisher else { return name }
    return "\(publisher).\(name)"
  }
}
