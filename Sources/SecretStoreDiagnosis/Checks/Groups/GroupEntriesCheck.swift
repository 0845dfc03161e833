// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that the content of each item can be read.
struct GroupEntriesCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-entries"

  /// The maximum number of unreadable items that the detail lists.
  private static let named = 5

  func run() -> CheckResult {
    let group = inventory.group
    let damaged = inventory.damaged
    let unreadable = damaged.filter { !$0.isSetAside }
    if !unreadable.isEmpty {
      let what = unreadable.prefix(Self.named).map(\.description).joined(separator: ", ")
      return .error(
        .corruptItem,
        "\(Quantity.of(unreadable.count, "item")) can't be read, as another program or a newer version wrote it: "
          + "\(what)\(unreadable.count > Self.named ? ", …" : "").",
        remedy: ToolCommand.fix(group), repair: .init(kind: .setAsideDamaged, group: group))
    }
    let empty = inventory.records.filter { $0.bytes?.isEmpty == true }
    if inventory.isEmptied {
      return .error(
        .storageFailed,
        "All of its items, including the marker, are empty. Another wallet or database probably replaced the original one.",
        remedy:
          "Put back the wallet or database that was there before, from a backup, and \(NewLogin.words).")
    }
    if !empty.isEmpty {
      return .warning(
        "\(Quantity.of(empty.count, "empty item")) may be left of a crash of the daemon.",
        remedy: ToolCommand.fix(group), repair: .init(kind: .removeEmptyItems, group: group))
    }
    if inventory.withoutOwner > 0 { return changedOwner }
    var readable = "\(Quantity.of(inventory.records.count - damaged.count, "item")), and each can be read."
    if inventory.unknownCount > 0 {
      readable += " \(Quantity.of(inventory.unknownCount, "more item")) may be of a newer version."
    }
    if damaged.isEmpty { return .ok(readable) }
    return .ok("\(readable) What could not be was set aside: \(ToolCommand.on(group, "damaged")).")
  }

  /// The result where another program has changed items so that no app finds them.
  private var changedOwner: CheckResult {
    let group = inventory.group
    let detail =
      "Another program has changed or removed attributes of \(Quantity.of(inventory.withoutOwner, "item")) in its"
      + " keyring: no app finds what is in there, or can use it. A sign-out or a removal takes it."
    if !inventory.restorable.isEmpty {
      return .warning(
        "\(detail) The repair writes the attributes again, as the content says.",
        remedy: ToolCommand.fix(group),
        repair: .init(kind: .restoreAttributes, group: group))
    }
    return .warning(
      detail,
      remedy:
        "\(GeneralRemedy.signIn) Then delete the items in the keyring \(group.name) that have another group or"
        + " publisher, or none, in Passwords and Keys, which shows the attributes.")
  }
}
