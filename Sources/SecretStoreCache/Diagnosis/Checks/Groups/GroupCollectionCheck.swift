// SPDX-License-Identifier: MIT

/// Whether a group is in one collection.
struct GroupCollectionCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-collection"

  func find() -> Finding {
    let group = inventory.group
    let markers = Set(inventory.items(.group).map(\.path.parent))
    if inventory.collections.count > 1 {
      let detail =
        markers.count > 1 && markers.isDisjoint(with: inventory.common)
        ? "It is in \(inventory.collections.count) collections, as two apps leave it that made it at once."
        : "It is in \(inventory.collections.count) collections, as a move leaves it that did not come to its end."
      return .warning(
        detail, remedy: ToolCommand.fix(group), repair: .init(kind: .gatherCollections, group: group))
    }
    if let collection = inventory.collections.first {
      if inventory.usesKeys, !inventory.namesakes.isEmpty, !inventory.common.contains(collection) {
        return .warning(
          "There is another collection of the group's name beside its own.", remedy: ToolCommand.fix(group),
          repair: .init(kind: .gatherCollections, group: group))
      }
      return .ok("It is in one collection.")
    }
    if inventory.namesakes.isEmpty {
      return .warning(
        "Its collection was deleted, and its password is left: sign in again.",
        remedy: ToolCommand.on(group, "group create"))
    }
    return .ok("Its collection is there, and empty.")
  }
}
