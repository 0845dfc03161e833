// SPDX-License-Identifier: MIT

/// Where a group is placed, and whether it lies there.
struct GroupPlacementCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-placement"

  func find() -> Finding {
    guard let place = inventory.place else { return .notLookedAt("no marker says where it is placed") }
    if place.placement == .dedicated {
      if inventory.usesKeys && inventory.common.contains(place.collection) {
        return .warning(
          "Its marker says that it has a collection of its own, and lies in one that is common.",
          remedy: ToolCommand.fix(inventory.group),
          repair: .init(kind: .remakeMarker, group: inventory.group))
      }
      return .ok("It has a collection of its own.")
    }
    return .ok("It shares the default collection, told apart by attributes.")
  }
}
