// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import SecretStoreCache

/// Which access groups a caller may use.
///
/// - An app has its own group, which is named after it and belongs to no publisher or to its verified one.
/// - A Flatpak has the groups that its metadata state, where its app ID shows that the publisher may name them: the
///   publisher is a prefix of the app ID; or the groups have no publisher, and their names begin with such a prefix.
///   A prefix has two labels, or three where everybody gets a name below two, as below `io.github`.
/// - An app has what the user or the administrator granted it.
/// - A host program has every group, since it could read the Secret Service as well.
///
/// A publisher's prefix is as good as the source of the app: Flathub verifies that the developer owns the domain; a
/// file from elsewhere may have any app ID.
package struct GroupPolicy: Sendable {
  private let grants: GrantStore

  /// Creates a policy with the grants of this user and of the administrator.
  package init(grants: GrantStore = GrantStore()) { self.grants = grants }

  /// Returns the group of a name, if the caller may use it.
  ///
  /// The grants are read for each call, so a change counts for the next one.
  ///
  /// - Parameters:
  ///   - name: The group's name.
  ///   - publisher: The group's publisher; `nil` for a group without one.
  ///   - caller: Who asks.
  /// - Throws: `invalidArgument` for a malformed name. `notEntitled` when the caller may not use the group; the message
  ///   says what would allow it.
  package func group(
    named name: String, publisher: String?, for caller: Caller
  ) throws(SecretStoreError) -> AccessGroup {
    let owner = try publisher.map { name throws(SecretStoreError) in try Publisher(name) }
    let group = try AccessGroup(name, publisher: owner)
    guard let app = caller.app else { return group }
    if Self.states(caller, group, of: app) || grants.allows(group, for: app) { return group }
    throw Self.refusal(of: group, to: app, caller)
  }

  /// Returns whether a caller has a group without a grant.
  private static func states(_ caller: Caller, _ group: AccessGroup, of app: AppIdentifier) -> Bool {
    if group.name == app.name && group.publisher == nil { return true }
    guard caller.publisher == group.publisher?.name, mayState(group, app) else { return false }
    return group.name == app.name || caller.groups.contains(group.name)
  }

  /// Returns whether the metadata of an app may state a group.
  private static func mayState(_ group: AccessGroup, _ app: AppIdentifier) -> Bool {
    group.publisher.map { app.isOwned(by: $0.name) } ?? app.ownsName(ofGroup: group.name)
  }

  private static func refusal(
    of group: AccessGroup, to app: AppIdentifier, _ caller: Caller
  ) -> SecretStoreError {
    let owner = group.publisher.map { " of the publisher \($0)" } ?? ", which has no publisher"
    let refused = "\(app) may not use the access group \(group.name)\(owner)."
    let isOfStatedOwner = caller.publisher == group.publisher?.name
    // All stated groups have one publisher. So another one would take the others away.
    guard caller.kind == .flatpak, mayState(group, app),
      isOfStatedOwner || caller.publisher == nil && caller.groups.isEmpty
    else {
      let reason =
        isOfStatedOwner && caller.groups.contains(group.name)
        ? " Its metadata state it, but its app ID doesn't begin with the name of the group's owner." : ""
      let command = ToolCommand.grant(group, to: app.name)
      return SecretStoreError(.notEntitled, "\(refused)\(reason) The user allows it with: \(command)")
    }
    let options = policyOptions(groups: [group], publisher: caller.publisher == nil ? group.publisher : nil)
    return SecretStoreError(
      .notEntitled,
      "\(refused) Its manifest for flatpak-builder adds the group in finish-args:"
        + " \(options.joined(separator: " "))")
  }

  private static func policyOptions(groups: [AccessGroup], publisher: Publisher?) -> [String] {
    groups.map { "--add-policy=\(FlatpakMetadata.policy).groups=\($0.name)" }
      + (publisher.map { ["--add-policy=\(FlatpakMetadata.policy).publisher=\($0)"] } ?? [])
  }

  /// Returns the `finish-args` with which a Flatpak of the app asks the agent for its groups.
  package static func finishArguments(of app: AppEntitlements) -> [String] {
    ["--talk-name=\(AgentInterface.name)"] + policyOptions(groups: app.groups, publisher: app.publisher)
  }

  /// Returns the commands that grant the groups that a Flatpak of the app may not state by itself.
  package static func grantCommands(for app: AppEntitlements) -> [String] {
    app.groups.filter { $0.name != app.app.name && !mayState($0, app.app) }
      .map { ToolCommand.grant($0, to: app.app.name) }
  }
}
