// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Brings a group into one collection: the one that its marker names, or a new one with a new password.
struct CollectionRepair: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  /// Ends a move that was cut short, and joins collections that two apps made at once.
  func gather() async throws {
    let (_, found) = try await GroupLockCheck(client: client, group: group).find()
    guard let inventory = found, let place = inventory.place else { return }
    _ = try await GroupMover(client: client, group: group).gather(into: place)
    try await GroupMaker.lock.run { try await removeEmptied(inventory, but: place.collection) }
  }

  /// Moves a group that is open, and whose password is lost, into a new collection.
  func renew() async throws {
    let (_, found) = try await GroupLockCheck(client: client, group: group).find()
    guard let inventory = found else { return }
    let maker = GroupMaker(client: client, group: group, policy: .dedicated)
    let location = try await GroupMaker.lock.run {
      guard let collection = try await maker.newCollection() else { throw SecretServiceClient.wantsDialog }
      let location = GroupLocation(collection: collection, placement: .dedicated)
      try await maker.mark(location)
      return location
    }
    _ = try await GroupMover(client: client, group: group).gather(into: location)
    try await GroupMaker.lock.run { try await removeEmptied(inventory, but: location.collection) }
  }

  /// Removes the collections of the group's name that hold nothing any more, and their passwords; under the lock that
  /// they are made under, since one that is being made is empty, too.
  private func removeEmptied(_ inventory: GroupInventory, but own: ObjectPath) async throws {
    guard inventory.usesKeys else { return }
    for collection in inventory.collections + inventory.namesakes
    where collection != own && !inventory.common.contains(collection) {
      guard try await client.label(ofCollection: collection) == group.name,
        try await client.items(of: collection).isEmpty
      else { continue }
      // Nobody can put anything into it between the look and the removal.
      try await client.lock(collection, .never)
      guard try await client.items(of: collection).isEmpty else { continue }
      try await client.deleteCollection(collection, .never)
      for key in inventory.keys(of: collection) { _ = try await client.deleteItem(key.path) }
    }
  }
}
