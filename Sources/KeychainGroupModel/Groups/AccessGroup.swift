// SPDX-License-Identifier: MIT

/// A keychain access group: the name under which apps of one publisher share accounts and tokens.
///
/// ```swift
/// let group = try AccessGroup("com.contoso.shared", publisher: Publisher("contoso"))
/// ```
///
/// Groups of the same name that belong to different publishers are different groups. This matches Apple's systems,
/// where the App ID prefix is part of the group. A group is a convention between cooperating apps. The README says
/// what it protects against and what it does not.
///
/// A call for an app takes a group's ``name``, as the app lists it: the publisher is the app's own. A call for the
/// whole store takes an `AccessGroup`. ``AppEntitlements/group(_:)`` returns the app's group of a name.
public struct AccessGroup: Hashable, Sendable {
  /// The group's name, in reverse-DNS form; at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
  public let name: String

  /// The publisher that the group belongs to, or `nil` for a group without a publisher.
  public let publisher: Publisher?

  /// Creates a group of a publisher.
  ///
  /// - Throws: `invalidArgument` when the name is empty, is longer than 200 bytes, begins with a dot (gnome-keyring
  ///   loses such a collection when it restarts) or holds a character that ``name`` does not permit.
  public init(_ name: String, publisher: Publisher? = nil) throws(SecretStoreError) {
    try IdentifierRule.check(name, what: "access group's name")
    self.name = name
    self.publisher = publisher
  }

  /// Creates a group from a name that is known to be valid.
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
  /// The name, and the publisher if there is one: "com.contoso.shared of the publisher contoso".
  public var description: String { publisher.map { "\(name) of the publisher \($0)" } ?? name }

  /// The name with the publisher before it, as an entitlements file writes the group.
  package var qualifiedName: String { publisher.map { "\($0).\(name)" } ?? name }
}
