// SPDX-License-Identifier: MIT

/// The identity of an app, its publisher, and the access groups that it shares.
///
/// ```swift
/// let mail = try AppEntitlements(
///   app: "com.contoso.mail", publisher: "com.contoso", groups: ["com.contoso.shared"])
/// try mail.group("com.contoso.shared")   // the group
/// try mail.group("com.fabrikam.shared")  // throws notEntitled
/// ```
///
/// An app always has one more group, named after itself, which it need not list. Apple's systems do the same.
public struct AppEntitlements: Hashable, Sendable {
  /// The app.
  public let app: AppIdentifier

  /// The app's publisher, if it states one.
  public let publisher: Publisher?

  /// The groups that the app lists, in its order, without duplicates.
  public let groups: [AccessGroup]

  /// The group that the app chose to share through, or `nil` without a choice.
  let chosenGroup: AccessGroup?

  /// The maximum number of groups that an app may list: 1,000.
  public static let maximumGroups = 1_000

  /// Creates entitlements from an app's identity and groups.
  ///
  /// - Parameters:
  ///   - app: The app's identifier.
  ///   - publisher: The publisher, which owns all of the groups, or `nil` for none.
  ///   - groups: The names of the groups that the app shares, the preferred one first.
  /// - Throws: `invalidArgument` when a name is malformed, or there are more than ``maximumGroups`` groups.
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

  /// Copies entitlements, with a chosen sharing group.
  init(_ other: AppEntitlements, chosenGroup: AccessGroup) {
    self.app = other.app
    self.publisher = other.publisher
    self.groups = other.groups
    self.chosenGroup = chosenGroup
  }

  /// The app's own group, which is named after the app and shared with no other app.
  public var ownGroup: AccessGroup { AccessGroup(checked: app.name, publisher: publisher) }

  /// Returns the app's group with a name, which may have the publisher before it, as in an entitlements file.
  ///
  /// A group whose own name begins with the publisher's goes before.
  ///
  /// - Throws: `notEntitled` when the app does not list the group, `invalidArgument` when the name is malformed.
  public func group(_ name: String) throws(SecretStoreError) -> AccessGroup {
    let wanted = try AccessGroup(name, publisher: publisher)
    if mayUse(wanted) { return wanted }
    if let named = (groups + [ownGroup]).first(where: { $0.qualifiedName == name }) { return named }
    try require(wanted)
    return wanted
  }

  private func mayUse(_ group: AccessGroup) -> Bool { groups.contains(group) || group == ownGroup }

  /// The maximum number of groups that an error message names.
  private static let maximumNamed = 20

  /// Checks that the app may use a group.
  ///
  /// - Throws: `notEntitled`. The message names the group, the app and the groups that the app lists.
  public func require(_ group: AccessGroup) throws(SecretStoreError) {
    if mayUse(group) { return }
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
