// SPDX-License-Identifier: MIT

/// What an app states about itself: who it is, who publishes it, and which access groups it shares.
///
/// ```swift
/// let mail = try AppEntitlements(
///   app: "com.contoso.mail", publisher: "contoso", groups: ["com.contoso.shared"])
/// try mail.group("com.contoso.shared")   // the group
/// try mail.group("com.fabrikam.shared")  // throws notEntitled
/// ```
///
/// As on Apple's systems an app always has one more group, named after itself, that it need not list.
public struct AppEntitlements: Hashable, Sendable {
  /// The app.
  public let app: AppIdentifier

  /// The app's publisher, if it states one.
  public let publisher: Publisher?

  /// The groups that the app lists, in its order, without repetitions.
  public let groups: [AccessGroup]

  /// The group that the app chose to share through, if it chose one.
  let chosenGroup: AccessGroup?

  /// How many groups an app may list.
  public static let maximumGroups = 1_000

  /// States an app's identity and groups.
  ///
  /// - Parameters:
  ///   - app: The app's identifier.
  ///   - publisher: The publisher, to whom all of the groups belong; `nil` for none.
  ///   - groups: The names of the groups that the app shares, the preferred one first.
  /// - Throws: `invalidArgument` when one of the names is malformed, or there are more than
  ///   ``maximumGroups``.
  public init(app: String, publisher: String? = nil, groups: [String] = []) throws(SecretStoreError) {
    self.app = try AppIdentifier(app)
    if let publisher {
      self.publisher = try Publisher(publisher)
    } else {
      self.publisher = nil
    }
    guard groups.count <= Self.maximumGroups else {
      throw SecretStoreError(
        .invalidArgument,
        "\(self.app) lists \(groups.count) access groups; \(Self.maximumGroups) are the most.")
    }
    var listed: [AccessGroup] = []
    var seen: Set<AccessGroup> = []
    for name in groups {
      let group = try AccessGroup(name, publisher: self.publisher)
      if seen.insert(group).inserted { listed.append(group) }
    }
    self.groups = listed
    self.chosenGroup = nil
  }

  /// The same statements with a choice.
  init(_ other: AppEntitlements, chosenGroup: AccessGroup) {
    self.app = other.app
    self.publisher = other.publisher
    self.groups = other.groups
    self.chosenGroup = chosenGroup
  }

  /// The group that is the app's own: named after the app and shared with nobody.
  public var ownGroup: AccessGroup { AccessGroup(checked: app.name, publisher: publisher) }

  /// The app's group of the given name.
  ///
  /// - Throws: `notEntitled` when the app does not list it, `invalidArgument` when the name is malformed.
  public func group(_ name: String) throws(SecretStoreError) -> AccessGroup {
    let wanted = try AccessGroup(name, publisher: publisher)
    try require(wanted)
    return wanted
  }

  /// How many groups an error names.
  private static let maximumNamed = 20

  /// Checks that the app may use a group.
  ///
  /// - Throws: `notEntitled`, in words that name the group, the app and the groups it does have.
  public func require(_ group: AccessGroup) throws(SecretStoreError) {
    if groups.contains(group) || group == ownGroup { return }
    let more = groups.count - Self.maximumNamed
    let named = groups.prefix(Self.maximumNamed).map(\.name).joined(separator: ", ")
    let listed = groups.isEmpty ? "no group" : more > 0 ? "\(named) and \(more) more" : named
    let owner = group.publisher == publisher ? "" : " of the publisher \(group.publisher?.name ?? "none")"
    throw SecretStoreError(
      .notEntitled,
      "\(app) does not list the access group \(group.name)\(owner) in its keychain-access-groups;"
        + " it lists \(listed).")
  }
}
