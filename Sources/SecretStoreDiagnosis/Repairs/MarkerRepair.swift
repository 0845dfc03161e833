// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The repair that writes a group's marker again.
///
/// The marker goes into the collection that its password proves to be the group's; without gnome-keyring, the name is
/// the proof. When no collection is proven, the group moves into a new one. Items that have a marker's attributes but
/// other content are set aside. Items in that collection that have lost their attributes get those that their content
/// names.
struct MarkerRepair: Sendable {
  /// The location at which the marker belongs.
  enum Target: Sendable, Equatable {
    /// The marker belongs to an existing collection.
    case location(GroupLocation)
    /// A new collection is needed, because anyone could have created the existing ones.
    case newCollection
    /// There are no records that a marker could stand for.
    case nowhere
  }

  let client: SecretServiceClient
  let group: AccessGroup
  /// Receives how many records are moved, and of how many.
  var progress: WorkProgress.Report?

  func perform() async throws {
    try await DamagedItems(client: client, group: group).setAsideMarkers()
    let (unplaced, restorable) = try await GroupCreator.lock.run {
      () -> (GroupInventory?, [ObjectPath: RecordKey]) in
      let (_, found) = try await GroupLockCheck(client: client, group: group).run()
      guard let inventory = found, inventory.location == nil else { return (nil, found?.restorable ?? [:]) }
      let target = Self.target(in: inventory)
      if target == .newCollection { return (inventory, [:]) }
      var isMarked = false
      for marker in inventory.markers {
        // The newer version that wrote it needs it.
        if marker.bytes.map(GroupMarker.isOfNewerVersion) == true {
          if case .location(let location) = target {
            isMarked = isMarked || marker.path.parent == location.collection
          }
          continue
        }
        if case .location(let location) = target, marker.path.parent == location.collection, !isMarked {
          isMarked = true
          try await client.setSecret(
            GroupMarker(group: group, placement: location.placement).serialized(), of: marker.path)
        } else if inventory.isProven(marker) {
          _ = try await client.deleteItem(marker.path)
        }
      }
      if case .location(let location) = target {
        let bare = inventory.restorable.first { $0.value == GroupFinder.markerKey }?.key
        if let bare, bare.parent == location.collection, !isMarked {
          isMarked = true
          try await client.setAttributes(
            withSchema: ItemAttributes.all(GroupFinder.markerKey, in: group), of: bare)
        }
        let creator = GroupCreator(client: client, group: group, policy: location.placement)
        if !isMarked { try await creator.mark(location) }
        if location.placement == .dedicated {
          try await creator.pointPassword(toFileOf: location.collection)
        }
      }
      return (nil, inventory.restorable)
    }
    let repair = CollectionRepair(client: client, group: group, progress: progress)
    if let unplaced {
      try await repair.renew(unplaced)
    } else {
      // Only the marker shows the collection whose password is missing.
      try await repair.renewKey()
      try await ItemRepair(client: client, group: group, progress: progress).restoreAttributes(of: restorable)
    }
  }

  /// Returns the location at which the marker belongs.
  static func target(in inventory: GroupInventory) -> Target {
    if inventory.proven.count == 1 {
      return .location(GroupLocation(collection: inventory.proven[0], placement: .dedicated))
    }
    if inventory.records.isEmpty { return .nowhere }
    let common = inventory.records.map(\.path.parent).filter(inventory.common.contains)
    if inventory.proven.isEmpty, inventory.items(.groupKey).isEmpty, let shared = common.first {
      return .location(GroupLocation(collection: shared, placement: .shared))
    }
    return .newCollection
  }
}
