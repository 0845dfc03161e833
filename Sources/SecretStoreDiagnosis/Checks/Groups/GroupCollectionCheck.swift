// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

/// A check that all items of a group are in one collection.
struct GroupCollectionCheck: Sendable {
  let inventory: GroupInventory
  /// Whether the daemon has the group's own collection in its memory only.
  var hasLostFile = false

  static let name = "group-collection"

  func run() -> CheckResult {
    let group = inventory.group
    if hasLostFile {
      return .error(
        .storageFailed,
        "The file of its keyring is gone: what is in it is lost when the keyring daemon ends.",
        remedy: ToolCommand.fix(group), repair: .init(kind: .writeFile, group: group))
    }
    if let unserved = inventory.unserved {
      let error = unserved.error("nothing of the group can be saved or removed")
      return .error(error.code, error.detail, remedy: unserved.remedy)
    }
    if let other = inventory.unfinished.first { return unfinished(other) }
    if let keyring = inventory.unproven.first { return onlyCopies(in: keyring) }
    if let path = inventory.plain.first { return plain(path) }
    let markers = Set(inventory.markerItems.map(\.path.parent))
    if let damage = inventory.unread.first {
      return .warning(
        "The keyring file \(damage.path) exists, but \(damage.reason). Its items are not visible.",
        remedy: damage.remedy)
    }
    if inventory.collections.count > 1 {
      let detail =
        markers.count > 1 && markers.isDisjoint(with: inventory.common)
        ? "It is in \(inventory.collections.count) collections, probably because two apps created it at the same time."
        : "It is in \(inventory.collections.count) collections, probably because a move was interrupted."
      if inventory.location == nil { return .skipped("no marker says which one is its own") }
      if let own = inventory.location?.collection, inventory.mixed[own] != nil { return mixed(detail) }
      return .warning(
        detail, remedy: ToolCommand.fix(group), repair: .init(kind: .moveIntoOneCollection, group: group))
    }
    if let collection = inventory.collections.first {
      if !inventory.leftovers.isEmpty, !inventory.common.contains(collection) {
        return .warning(
          "There is another collection of the group's name beside its own.", remedy: ToolCommand.fix(group),
          repair: .init(kind: .moveIntoOneCollection, group: group))
      }
      if let other = inventory.others.first(where: { !$0.isLocked }) { return ofOthers(other) }
      if let elsewhere { return elsewhere }
      if inventory.usesPasswords, !inventory.namesakes.isEmpty, !inventory.common.contains(collection) {
        return namesake(
          "There is another collection of the group's name beside its own, which has nothing of it.")
      }
      return locked ?? .ok("It is in one collection.")
    }
    if let elsewhere, inventory.items.isEmpty { return elsewhere }
    if let other = inventory.otherKeyrings.first {
      return .warning(
        "Nothing of it is left but its password in the login keyring, which names the keyring \(other): that has"
          + " another name, is the default one, or has items of others.",
        remedy: Self.puttingBack)
    }
    if inventory.namesakes.isEmpty {
      return .warning(
        "Its keyring is gone from \(inventory.folder), and its password is left. \(Self.puttingBack)",
        remedy: ToolCommand.on(group, "group create"))
    }
    if inventory.proven.isEmpty {
      return namesake("There is a collection of the group's name, which the group's password doesn't open.")
    }
    return .ok("Its collection is there, and has nothing of the group.")
  }

  private static var puttingBack: String {
    "If you have the file of its keyring, put it back, and \(NewLogin.words); else sign in again."
  }

  /// Returns the result when a move between two keyrings of the group was interrupted.
  private func unfinished(_ other: OtherKeyring) -> CheckResult {
    .error(
      .groupUnrecoverable,
      "A move or repair was interrupted, and part of the group is still in \(inventory.file(of: other.collection)), which no"
        + " stored password opens after the next login. Don't log out before the repair is ended.",
      remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .renewKey, group: inventory.group))
  }

  /// Returns the result when a repair left a keyring of which the password is lost with what others have in it.
  private func ofOthers(_ other: OtherKeyring) -> CheckResult {
    .warning(
      "Its former keyring, \(inventory.file(of: other.collection)), has items of others. No app opens it for them after the"
        + " next login: they can't be read then.",
      remedy:
        "Save those that are needed elsewhere before you log out, then delete that keyring in Passwords and Keys."
    )
  }

  private static let copying =
    "If it is yours, the repair copies them; look at it in Passwords and Keys first."

  /// Returns the result when a keyring that is not proven to be the group's has the only copies of records.
  ///
  /// The repair copies them. It deletes nothing there, because another program may have created the keyring.
  private func onlyCopies(in keyring: UnprovenKeyring) -> CheckResult {
    let only =
      "The keyring \(keyring.label) is not proven to be its own, and has the only copy of"
      + " \(Quantity.of(keyring.count, "item")) of it"
    let isMixed = inventory.location.map { inventory.mixed[$0.collection] != nil } == true
    let remedy = isMixed ? mixedRemedy : ToolCommand.fix(inventory.group)
    let kind = inventory.location == nil ? Diagnosis.Repair.Kind.renewKey : .moveIntoOneCollection
    let repair = isMixed ? nil : Diagnosis.Repair(kind: kind, group: inventory.group)
    switch keyring.key {
    case .storedPassword: return .warning("\(only). \(Self.copying)", remedy: remedy, repair: repair)
    case .none, .unknownPassword:
      let why =
        keyring.key == .none
        ? "Its file is not encrypted, and no app opens it after the next login."
        : "No stored password opens it: after the next login, only a user who knows the password can."
      return .error(
        .groupUnrecoverable, "\(only). \(why) \(Self.copying)", remedy: remedy, repair: repair)
    }
  }

  /// Returns the result when a keyring that is not encrypted has copies of what the group has in its own keyring, or
  /// only the group's marker.
  private func plain(_ path: String) -> CheckResult {
    let detail = "The keyring file \(path) is not encrypted, so that every program can read it"
    if inventory.location == nil {
      return .error(
        .groupUnrecoverable, "\(detail), and no app opens it after the next login.",
        remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .renewKey, group: inventory.group))
    }
    return .warning(
      "\(detail), and has copies of its items.",
      remedy: "Look at that keyring in Passwords and Keys; delete it there if it has nothing of others.")
  }

  /// Returns the result when a collection has the group's name and is not proven to be its own.
  private func namesake(_ detail: String) -> CheckResult {
    .warning(detail, remedy: "Look at it in Passwords and Keys; delete it there if nobody needs it.")
  }

  /// The result when collections of other programs hold items with the group's attributes; `nil` when none does.
  private var elsewhere: CheckResult? {
    guard !inventory.elsewhere.isEmpty else { return nil }
    let labels = inventory.elsewhere.joined(separator: ", ")
    let detail =
      "Items with its attributes are also in collections that are not proven to be its own, and stay there: \(labels)."
    let remedy = "Look at them in Passwords and Keys; delete them there if nobody needs them."
    let only = inventory.onlyElsewhere
    guard only > 0 else { return .warning(detail, remedy: remedy) }
    return .warning(
      "\(detail) \(Quantity.of(only, "record")) of the group \(only == 1 ? "is" : "are") nowhere else.",
      remedy:
        "First save in the group what it is to keep: sign in again, and store secrets again by sso-cache secret set."
        + " \(remedy)")
  }

  /// The result when another program's locked collection has records with the group's attributes that the group lacks;
  /// `nil` when none has.
  private var locked: CheckResult? {
    guard let keyring = inventory.onlyInLocked.first else { return nil }
    return .warning(
      "The keyring \(keyring.label), which is locked and not proven to be its own, has \(Quantity.of(keyring.count, "item"))"
        + " with its attributes that the group lacks.",
      remedy:
        "If you or a program of yours moved them there, unlock that keyring in Passwords and Keys; then run sso-cache"
        + " doctor again.")
  }

  /// Returns the result when the group's collection has a different label or holds items of other programs.
  ///
  /// Gathering is not offered as a repair: it would put the other programs' items into the group.
  private func mixed(_ detail: String) -> CheckResult {
    .warning(
      "\(detail) The group's own collection has a different name, or contains items of other programs.",
      remedy: mixedRemedy)
  }

  private var mixedRemedy: String {
    "Move what is not the group's out of its own collection, name that \(inventory.group.name), and then:"
      + " \(ToolCommand.fix(inventory.group))"
  }
}
