// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that a group can be unlocked without a prompt, in the same way as an app's calls unlock it.
struct GroupLockCheck: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  var environment = DiagnosticEnvironment()

  static let name = "group-lock"

  /// - Returns: The check result, and the inventory of the group when it is unlocked; otherwise `nil`.
  func run() async throws -> (CheckResult, GroupInventory?) {
    let finder = GroupFinder(client: client, group: group)
    let wasLocked = try await !client.search(finder.markerAttributes).locked.isEmpty
    let location: GroupLocation?
    do {
      location = try await finder.openLocation()
      if location == nil { try await finder.openLeftovers() }
    } catch let error as SecretStoreError where error.underlying is KeyringDamage {
      let damage = error.underlying as? KeyringDamage
      return (.error(error.code, error.detail, remedy: damage?.remedy ?? GeneralRemedy.again), nil)
    } catch let error as SecretStoreError where error.code == .groupLocked {
      let isGnome = try await client.traits().offersGnomeInterface
      if isGnome, let earlier = try await earlierLogin(finder) { return (earlier, nil) }
      return (
        .error(
          .groupLocked, error.detail,
          remedy: isGnome ? environment.unlocking(group) : ToolCommand.on(group, "group unlock --prompt")),
        nil
      )
    } catch let error as SecretStoreError where error.underlying is PlainKeyring {
      return (plain(error.detail, error.underlying as? PlainKeyring, .renewKey), nil)
    } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
      let files = try await client.keyringFiles
      let remedy = (error.underlying as? UnremovableKeyring)?.remedy ?? Self.recovering(group, files)
      if let path = try await finder.keyringBesidePassword() {
        return (Self.refused(path, otherwise: remedy), nil)
      }
      return (.error(.groupUnrecoverable, error.detail, remedy: remedy), nil)
    }
    var inventory = try await GroupInventory.read(group, at: location, from: client)
    try await inventory.findOthers(by: client)
    if try await isLockedAgain(location, inventory, finder) { return (Self.lockedAgain, nil) }
    let absent = "There is no such group yet; the first sign-in makes it."
    let closed = try await closedKeyring()
    if inventory.isEmpty {
      let locked = try await CollectionWithoutPassword.named(group.name, in: client)?.result
      return (locked ?? closed ?? .ok(absent), nil)
    }
    if let other = inventory.others.first(where: { $0.isLocked && $0.isUnfinished }) {
      return (try await unread(other, inventory), inventory)
    }
    if let namesake = try await lockedNamesake(finder, besides: location?.collection) {
      return (namesake, inventory)
    }
    if let closed { return (closed, inventory) }
    if inventory.items.isEmpty && inventory.proven.isEmpty { return (.ok(absent), inventory) }
    if inventory.hasUnrelatedOnly {
      return (.ok("\(absent) \(Self.unrelated)"), nil)
    }
    return (.ok(wasLocked ? "It was locked, and opened without a dialog." : "It is open."), inventory)
  }

  /// Returns whether another program has locked the group's keyring since it was opened, so that the inventory lacks
  /// what is in it; `false` where that keyring is gone.
  private func isLockedAgain(
    _ location: GroupLocation?, _ inventory: GroupInventory, _ finder: GroupFinder
  ) async throws -> Bool {
    if let own = location?.collection {
      guard let isLocked = try await client.isLocked(own) else { return false }
      return isLocked || !inventory.markerItems.contains { $0.path.parent == own }
    }
    for collection in Set(inventory.items(.groupKey).compactMap(\.keyring?.collection))
    where try await finder.hasGroupName(collection) {
      guard try await client.isLocked(collection) == true else { continue }
      do {
        try await finder.unlock(collection)
        return true
      } catch let error as SecretStoreError where [.groupLocked, .groupUnrecoverable].contains(error.code) {
        // It is not the group's, or its password is lost.
      }
    }
    return false
  }

  private static let unrelated =
    "An item with the attributes of a password of it, but other content, may be another program's."

  private static let lockedAgain = CheckResult.error(
    .groupLocked,
    "Another program locks its keyring again as soon as it is open: nothing of it can be checked.",
    remedy: "Find out which program that is, and end it; then run sso-cache doctor again.")

  /// Returns the result when the login keyring has the password of a keyring that does not open with it.
  ///
  /// One bit of the file that changed is enough.
  private static func refused(_ path: String, otherwise remedy: String) -> CheckResult {
    .error(
      .groupUnrecoverable,
      "It is locked, and the password that the login keyring has for \(path) does not open it: somebody has changed the"
        + " keyring's password, the file is damaged, or one of the two is older than the other.",
      remedy: "\(remedy) If the file is damaged: put a backup of \(path) in its place, and \(NewLogin.words)."
    )
  }

  /// Returns the result when a move was interrupted before a login, which has locked the rest.
  private func unread(_ other: OtherKeyring, _ inventory: GroupInventory) async throws -> CheckResult {
    .error(
      .groupUnrecoverable,
      "A move or repair was interrupted, and the login since then has locked the keyring \(inventory.file(of: other.collection))"
        + " with the rest of the group: its password is gone from the login keyring.",
      remedy: Self.recovering(group, try await client.keyringFiles))
  }

  /// Returns the result when a locked keyring has the group's name and items of the group, and is not the group's own.
  ///
  /// Its file keeps the name when the keyring gets another one.
  private func lockedNamesake(
    _ finder: GroupFinder, besides own: ObjectPath?
  ) async throws -> CheckResult? {
    for collection in try await finder.lockedCollections() where collection != own {
      guard try await finder.hasGroupName(collection), try await !client.isCommon(collection) else {
        continue
      }
      if let keyring = try await finder.plainKeyring(collection) {
        let detail =
          "It is open. Another keyring of its name is locked and has items of it, which are not read:"
        return plain(
          "\(detail) \(keyring.path), which is not encrypted.", keyring, .moveIntoOneCollection)
      }
      let path = try await fileName(of: collection)
      return .warning(
        "It is open. Another keyring of its name\(path) is locked and has items of it, which are not read.",
        remedy: "If it is yours and you know its password, unlock it in Passwords and Keys; or"
          + " \(ToolCommand.restoringLogin(for: group, try await client.keyringFiles)).")
    }
    return nil
  }

  /// Returns the result when a keyring's file has the group's name, is closed to this user, and no password names it.
  private func closedKeyring() async throws -> CheckResult? {
    guard try await client.traits().offersGnomeInterface else { return nil }
    let files = try await client.keyringFiles
    guard files.isOfLoginSession else { return nil }
    let proof = GroupProof(client: client, group: group)
    for file in files.files(labelled: group.name).sorted(by: { files.path(of: $0) < files.path(of: $1) }) {
      guard let damage = files.damage(of: file), damage.isClosed else { continue }
      let passwords = try await proof.passwords(naming: file)
      guard passwords.own.isEmpty, passwords.others.isEmpty else { continue }
      return .warning(
        "The keyring file \(damage.path) is there, and \(damage.reason): if it is the group's, what is in it is not seen.",
        remedy: damage.remedy)
    }
    return nil
  }

  /// Returns the result when a keyring of the group is not encrypted.
  private func plain(
    _ detail: String, _ keyring: PlainKeyring?, _ repair: Diagnosis.Repair.Kind
  ) -> CheckResult {
    .error(
      .groupUnrecoverable, detail, remedy: keyring?.remedy ?? GeneralRemedy.again,
      repair: .init(kind: repair, group: group, opening: keyring))
  }

  /// Returns the result when the login keyring is open and the group's password is in another keyring, which is
  /// locked.
  ///
  /// This happens when gnome-keyring could not read the login keyring and created a new one beside it.
  private func earlierLogin(_ finder: GroupFinder) async throws -> CheckResult? {
    guard let login = try await client.collection(alias: "login"), try await client.isLocked(login) == false,
      let other = try await finder.lockedPasswords().first
    else { return nil }
    let label = try await client.label(ofCollection: other)
    let name = label.isEmpty ? "" : " \(label)"
    let path = try await fileName(of: other)
    return .error(
      .groupLocked,
      "It is locked, and its password may be in another keyring, which is locked:\(name)\(path).",
      remedy: ToolCommand.on(group, "group unlock --prompt"))
  }

  /// Returns the path of a collection's file, in parentheses after a space.
  private func fileName(of collection: ObjectPath) async throws -> String {
    let files = try await client.keyringFiles
    return GnomeKeyringFile(collection: collection).map { " (\(files.path(of: $0)))" } ?? ""
  }

  /// Returns the remedy for a group whose password is lost: how to recover it, or how to start over without it.
  private static func recovering(_ group: AccessGroup, _ files: KeyringFiles) -> String {
    "\(ToolCommand.recover(group, files)). Where there is neither, sign in again after"
      + " \(ToolCommand.on(group, "group reset")), which keeps the keyring's file beside it."
  }
}
