// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import UnifiedCache

extension DiagnosticRun {
  static let groupsName = "groups"

  /// Returns all groups that exist, sorted by name.
  mutating func findGroups(_ publishers: Set<Publisher>) async -> [AccessGroup] {
    let client = client
    let found = await perform(Self.groupsName) {
      let found = try await KnownGroups(client: client).find(publishers: publishers)
      if !found.unknown.isEmpty, try await client.keyringFiles.missedLogin(client) != nil {
        return (.skipped("the login keyring, which has the groups' passwords, can't be read"), found.groups)
      }
      return (Self.groupsResult(found), found.groups)
    }
    return (found ?? []).sorted { $0.qualifiedName < $1.qualifiedName }
  }

  private static func groupsResult(_ found: KnownGroups.Found) -> CheckResult {
    if let damage = found.unread.min(by: { $0.path < $1.path }) {
      let error = damage.error("it has an access group")
      return .error(error.code, error.detail, remedy: damage.remedy)
    }
    if let collection = found.withoutPassword { return collection.result }
    if let label = found.unknown.first {
      return .warning(
        "The collection \(label) is locked, and nothing shows whose group it is.",
        remedy: "sso-cache doctor \(ToolCommand.option("group", label)) --publisher PUBLISHER")
    }
    if let damage = found.closed.min(by: { $0.path < $1.path }) {
      return .warning(
        "The keyring file \(damage.path) is there, and \(damage.reason): if an access group is in it, the group seems not"
          + " to be there.", remedy: damage.remedy)
    }
    if !found.unsearchedCollections.isEmpty {
      return .skipped(
        "locked collections (\(found.unsearchedCollections.sorted().joined(separator: ", "))) may hold groups"
      )
    }
    if let copy = found.copies.min(by: { $0.key < $1.key }) {
      return .warning(
        "The keyring file \(copy.key) is a copy of \(copy.value). The keyring daemon opens both after the next login, and"
          + " what is in them is there twice then.",
        remedy:
          "If \(copy.value) is the right one: mv \(ShellWord.quoted(copy.key)) \(ShellWord.aside(copy.key))"
      )
    }
    if found.groups.isEmpty { return .ok("There is no group yet; the first sign-in makes one.") }
    return .ok(found.groups.count == 1 ? "There is one group." : "There are \(found.groups.count) groups.")
  }

  /// Makes all checks of one group, if possible while nobody repairs it.
  mutating func checkGroup(_ group: AccessGroup, backend: SecretServiceBackend) async {
    if await hasLinkedKeyring(group) {
      for name in [GroupLockCheck.name] + Self.namesBehindLock {
        add(
          named(name, group), group: group,
          .skipped("a keyring's file is a link, which a check could replace"))
      }
      return
    }
    let hold = try? await FileLock.repair(of: group).acquire(timeout: limit)
    defer { withExtendedLifetime(hold) {} }
    let client = client
    let environment = environment
    let found = await perform(named(GroupLockCheck.name, group), group: group) {
      try await GroupLockCheck(client: client, group: group, environment: environment).run()
    }
    guard let inventory = found ?? nil else {
      if checks.last?.status == .ok { return }
      let isLocked = [.groupLocked, .groupUnrecoverable].contains(checks.last?.code)
      let reason = obstacle ?? (isLocked ? "the group is locked" : "the group can't be read")
      for name in Self.namesBehindLock {
        add(named(name, group), group: group, .skipped(reason))
      }
      return
    }
    secrets[group] = Set(inventory.items(.secret).filter { $0.bytes?.isEmpty == false }.compactMap(\.key))
    if let latest = inventory.newest(until: ClockCheck.latest), newest.map({ latest > $0.time }) ?? true {
      newest = (latest, group)
    }
    add(
      named(GroupCollectionCheck.name, group), group: group,
      GroupCollectionCheck(inventory: inventory, hasLostFile: hasLostFile(inventory)).run())
    add(named(GroupMarkerCheck.name, group), group: group, GroupMarkerCheck(inventory: inventory).run())
    add(
      named(GroupPlacementCheck.name, group), group: group, GroupPlacementCheck(inventory: inventory).run())
    add(named(GroupKeyCheck.name, group), group: group, GroupKeyCheck(inventory: inventory).run())
    add(
      named(GroupDuplicatesCheck.name, group), group: group, GroupDuplicatesCheck(inventory: inventory).run()
    )
    add(named(GroupEntriesCheck.name, group), group: group, GroupEntriesCheck(inventory: inventory).run())
    let now = environment.clock.now()
    add(
      named(GroupTokensCheck.name, group), group: group,
      GroupTokensCheck(inventory: inventory, now: now).run())
    await perform(named(GroupWipeCheck.name, group), group: group) {
      try await GroupWipeCheck(backend: backend, inventory: inventory).run()
    }
  }

  /// Returns whether the file of a keyring that the checks of a group read is a link.
  ///
  /// To test a password, the daemon writes the keyring's file.
  private func hasLinkedKeyring(_ group: AccessGroup) async -> Bool {
    guard (try? await client.traits().offersGnomeInterface) == true else { return false }
    return KeyringsFolder(environment, groups: [group]).link != nil
  }

  /// Returns whether the file of the group's own keyring is gone from the folder into which the daemon has just written
  /// the login keyring's.
  ///
  /// A person may have given the file another name.
  private func hasLostFile(_ inventory: GroupInventory) -> Bool {
    guard inventory.usesPasswords, let own = inventory.location, own.placement == .dedicated, let written
    else { return false }
    let files = environment.keyrings
    if let file = GnomeKeyringFile(collection: own.collection), files.exists(file) { return false }
    return files.isWritten(KeyringFiles.login, since: written)
      && files.files(labelled: inventory.group.name).isEmpty
  }

  private static let namesBehindLock = [
    GroupCollectionCheck.name, GroupMarkerCheck.name, GroupPlacementCheck.name, GroupKeyCheck.name,
    GroupDuplicatesCheck.name, GroupEntriesCheck.name, GroupTokensCheck.name, GroupWipeCheck.name,
  ]

  private func named(_ name: String, _ group: AccessGroup) -> String { "\(name):\(group.qualifiedName)" }
}
