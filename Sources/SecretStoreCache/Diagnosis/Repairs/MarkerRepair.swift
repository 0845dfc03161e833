// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Remakes a group's marker in the collection that its items, or its password, prove to be its.
struct MarkerRepair: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  func perform() async throws {
    try await GroupMaker.lock.run {
      let (_, found) = try await GroupLockCheck(client: client, group: group).find()
      guard let inventory = found, let location = Self.location(in: inventory) else { return }
      for marker in inventory.items(.group) where marker.path.parent != location.collection {
        _ = try await client.deleteItem(marker.path)
      }
      try await GroupMaker(client: client, group: group, policy: location.placement).mark(location)
    }
  }

  /// The collection that holds most of the group's items; of its own rather than a common one.
  static func location(in inventory: GroupInventory) -> GroupLocation? {
    var counts: [ObjectPath: Int] = [:]
    for collection in inventory.namesakes { counts[collection] = 0 }
    for marker in inventory.items(.group) { counts[marker.path.parent] = 0 }
    for item in inventory.records { counts[item.path.parent, default: 0] += 1 }
    let isCommon = { (path: ObjectPath) in inventory.common.contains(path) }
    let collection = counts.keys.min { left, right in
      if isCommon(left) != isCommon(right) { return !isCommon(left) }
      let (one, two) = (counts[left] ?? 0, counts[right] ?? 0)
      return one == two ? left.text < right.text : one > two
    }
    return collection.map {
      GroupLocation(collection: $0, placement: isCommon($0) ? .shared : .dedicated)
    }
  }
}
