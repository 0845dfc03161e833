// SPDX-License-Identifier: MIT

import SecretStoreCache

/// A check that reports the placement of a group: dedicated or shared.
struct GroupPlacementCheck: Sendable {
  let inventory: GroupInventory

  static let name = "group-placement"

  func run() -> CheckResult {
    guard let location = inventory.location else { return .skipped("no marker says where it is placed") }
    if location.placement == .dedicated {
      return .ok("It has a collection of its own.")
    }
    return .ok("It shares the default collection, told apart by attributes.")
  }
}
