// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import UnifiedCache

/// A check that a marker identifies the group's collection.
struct GroupMarkerCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-marker"

  func run() -> CheckResult {
    if inventory.location != nil { return .ok("The marker says which collection is the group's.") }
    if inventory.collections.isEmpty && inventory.namesakes.isEmpty {
      return .skipped("there is no collection")
    }
    if inventory.isAmbiguous { return ambiguous }
    let markers = inventory.markerItems
    let isReadable = markers.contains { item in
      (try? item.bytes.map { try GroupMarker(parsing: $0, of: inventory.group) }) != nil
    }
    if isReadable {
      return .warning(
        "Its only marker is in a collection that is not proven to be its own; it is not followed.",
        remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .remakeMarker, group: inventory.group))
    }
    if markers.contains(where: { $0.bytes.map(GroupMarker.isOfNewerVersion) == true }) {
      return .warning(
        "Its marker is a newer version's. What it holds is read as far as this version understands it.",
        remedy: "Update sso-cache and the group's apps.")
    }
    if markers.isEmpty && inventory.records.isEmpty { return emptied }
    let detail =
      markers.isEmpty ? "It has no marker, and is known by its items." : "Its marker can't be read."
    return error(detail, .remakeMarker)
  }

  /// The result when there is only a collection of the group's name, without a marker or a record.
  private var emptied: CheckResult {
    if inventory.proven.count != 1 {
      return .skipped("there is nothing that a marker could stand for")
    }
    if inventory.withoutOwner > 0 {
      return error(
        "Another program has removed the attributes of \(Quantity.of(inventory.withoutOwner, "item")) in its keyring,"
          + " so that no app finds what is in there. The repair writes them again, as the content says.",
        .remakeMarker)
    }
    return .warning(
      "Its keyring is there, and nothing of the group is in it: the group was removed, or its items were.",
      remedy: ToolCommand.fix(inventory.group), repair: .init(kind: .remakeMarker, group: inventory.group))
  }

  /// The result when several collections claim to be the group's.
  ///
  /// The repair creates a new collection, because another program may have planted any of the existing ones.
  private var ambiguous: CheckResult {
    let count = Set(inventory.markerItems.map(\.path.parent)).count
    let detail =
      "\(count) collections claim to be the group's, and none is proven to be. Nothing new is saved."
    guard inventory.usesPasswords else {
      return .error(
        .corruptItem, detail,
        remedy:
          "Rename all collections of the name \(inventory.group.name) but one, in the provider's own window.")
    }
    return error(detail, .renewKey)
  }

  private func error(_ detail: String, _ repair: Diagnosis.Repair.Kind) -> CheckResult {
    .error(
      .corruptItem, detail, remedy: ToolCommand.fix(inventory.group),
      repair: .init(kind: repair, group: inventory.group))
  }
}
