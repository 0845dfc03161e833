// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension Examination {
  static let groupsName = "groups"

  /// Every group that there is, sorted by name.
  mutating func findGroups(_ publishers: Set<Publisher>) async -> [AccessGroup] {
    let client = client
    let found = await ask(Self.groupsName) {
      let found = try await KnownGroups(client: client).find(publishers: publishers)
      return (Self.finding(found), found.groups)
    }
    return (found ?? []).sorted { $0.description < $1.description }
  }

  private static func finding(_ found: KnownGroups.Found) -> Finding {
    if let label = found.unknown.first {
      return .warning(
        "The collection \(label) is locked, and nothing tells whose group it is.",
        remedy: "sso-cache doctor --group \(ToolCommand.quoted(label)) --publisher PUBLISHER")
    }
    if !found.hiding.isEmpty {
      return .notLookedAt(
        "locked collections (\(found.hiding.sorted().joined(separator: ", "))) may hold groups")
    }
    if found.groups.isEmpty { return .ok("There is no group yet; the first sign-in makes one.") }
    return .ok(found.groups.count == 1 ? "There is one group." : "There are \(found.groups.count) groups.")
  }

  /// Everything about one group.
  mutating func examine(_ group: AccessGroup, backend: SecretServiceBackend) async {
    let client = client
    let found = await ask(named(GroupLockCheck.name, group), group: group) {
      try await GroupLockCheck(client: client, group: group).find()
    }
    guard let inventory = found ?? nil else {
      if checks.last?.status == .ok { return }
      for name in Self.namesBehindLock {
        add(named(name, group), group: group, .notLookedAt(obstacle ?? "the group is locked"))
      }
      return
    }
    if let latest = inventory.newest { newest = max(newest ?? latest, latest) }
    add(
      named(GroupCollectionCheck.name, group), group: group, GroupCollectionCheck(inventory: inventory).find()
    )
    add(named(GroupMarkerCheck.name, group), group: group, GroupMarkerCheck(inventory: inventory).find())
    add(
      named(GroupPlacementCheck.name, group), group: group, GroupPlacementCheck(inventory: inventory).find())
    add(named(GroupKeyCheck.name, group), group: group, GroupKeyCheck(inventory: inventory).find())
    add(
      named(GroupDuplicatesCheck.name, group), group: group, GroupDuplicatesCheck(inventory: inventory).find()
    )
    add(named(GroupEntriesCheck.name, group), group: group, GroupEntriesCheck(inventory: inventory).find())
    let now = surroundings.clock.now()
    add(
      named(GroupTokensCheck.name, group), group: group,
      GroupTokensCheck(inventory: inventory, now: now).find())
    await ask(named(GroupWipeCheck.name, group), group: group) {
      try await GroupWipeCheck(backend: backend).find()
    }
  }

  private static let namesBehindLock = [
    GroupCollectionCheck.name, GroupMarkerCheck.name, GroupPlacementCheck.name, GroupKeyCheck.name,
    GroupDuplicatesCheck.name, GroupEntriesCheck.name, GroupTokensCheck.name, GroupWipeCheck.name,
  ]

  private func named(_ name: String, _ group: AccessGroup) -> String { "\(name):\(group)" }
}
