// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether a marker says which collection is the group's.
struct GroupMarkerCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-marker"

  func find() -> Finding {
    if inventory.place != nil { return .ok("The marker says which collection is the group's.") }
    let group = inventory.group
    if inventory.collections.isEmpty && inventory.namesakes.isEmpty {
      return .notLookedAt("there is no collection")
    }
    let markers = inventory.items(.group)
    let detail =
      markers.isEmpty
      ? inventory.records.isEmpty
        ? "All that was in it was deleted by another program: sign in again."
        : "It has no marker, and is known by its items."
      : "Its marker can't be read."
    return .error(
      .corruptItem, detail, remedy: ToolCommand.fix(group), repair: .init(kind: .remakeMarker, group: group))
  }
}
