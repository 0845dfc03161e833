// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The repair that brings a group into one collection: the one that its marker names, or a new one with a new
/// password.
struct CollectionRepair: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  /// The keyring that the diagnosis names as one that is not encrypted, which is opened first.
  var opening: PlainKeyring?
  /// Receives how many records are moved, and of how many.
  var progress: WorkProgress.Report?

  /// Completes an interrupted move, merges collections that two apps created at the same time, and brings in what
  /// an unencrypted keyring of the group's name holds.
  func moveIntoOneCollection() async throws {
    if let opening { try await GroupFinder(client: client, group: group).open(opening) }
    let (_, found) = try await GroupLockCheck(client: client, group: group).run()
    guard let inventory = found, let location = inventory.location else { return }
    if let label = inventory.mixed[location.collection] {
      throw SecretStoreError(
        .invalidArgument,
        "Nothing is brought into the collection \(label): it has another name than the group, or holds something of"
          + " others.")
    }
    _ = try await mover.moveRecords(into: location)
    try await GroupCreator.lock.run {
      try await removeEmptied(inventory, but: location.collection)
      try await removePlainCopies(of: location.collection)
    }
  }

  /// Moves a group that is unlocked but whose password or whose own collection is lost into a new collection, unless
  /// another process has done so since the diagnosis, or the password has only lost its attributes.
  func renewKey() async throws {
    if let opening { try await GroupFinder(client: client, group: group).open(opening) }
    let (_, found) = try await GroupLockCheck(client: client, group: group).run()
    guard let inventory = found else { return }
    if let location = inventory.location, !inventory.unfinished.isEmpty {
      return try await bring(inventory, from: inventory.unfinished.map(\.collection), to: location)
    }
    let checks = [
      GroupKeyCheck(inventory: inventory).run(), GroupMarkerCheck(inventory: inventory).run(),
      GroupCollectionCheck(inventory: inventory).run(),
    ]
    guard checks.contains(where: { $0.repair?.kind == .renewKey }) else { return }
    if let own = inventory.location?.collection ?? inventory.proven.first,
      try await GroupCreator.lock.run({ try await creator.restorePassword(of: own) })
    {
      return
    }
    try await renew(inventory)
  }

  /// Moves a group that is unlocked into a new collection.
  func renew(_ inventory: GroupInventory) async throws {
    let others = inventory.collections.filter {
      !inventory.common.contains($0) && inventory.standings[$0] == .proven
    }
    let location = try await GroupCreator.lock.run {
      guard let collection = try await creator.newCollection() else {
        throw SecretServiceClient.requiresDialog
      }
      let location = GroupLocation(collection: collection, placement: .dedicated)
      try await creator.mark(location, from: others)
      return location
    }
    try await bring(inventory, from: others, to: location)
  }

  /// Moves the group into its own collection from others that no stored password opens.
  private func bring(
    _ inventory: GroupInventory, from others: [ObjectPath], to location: GroupLocation
  ) async throws {
    var mover = mover
    mover.noted = Set(others)
    _ = try await mover.moveRecords(into: location)
    try await GroupCreator.lock.run {
      try await removeEmptied(inventory, others, but: location.collection)
      try await removePlainCopies(of: location.collection)
      try await creator.forget(others, at: location)
    }
  }

  /// Makes the daemon write the file of the group's collection, which it writes at each change.
  func writeFile() async throws {
    let (_, found) = try await GroupLockCheck(client: client, group: group).run()
    guard let location = found?.location else { return }
    _ = try await RoundTripCheck(client: client, environment: DiagnosticEnvironment())
      .prove(in: location.collection)
  }

  private var creator: GroupCreator { GroupCreator(client: client, group: group, policy: .dedicated) }

  private var mover: GroupMover { GroupMover(client: client, group: group, progress: progress) }

  /// Removes the empty collections of the group's name, and their passwords.
  ///
  /// It removes those that held the group's items, and those that its own passwords open. Another one may be a
  /// person's.
  ///
  /// The caller holds the lock that protects the creation of collections, because a collection is also empty while it
  /// is being created.
  private func removeEmptied(
    _ inventory: GroupInventory, _ others: [ObjectPath] = [], but own: ObjectPath
  ) async throws {
    guard inventory.usesPasswords else { return }
    for collection in Set(inventory.collections + inventory.leftovers + others).sorted(by: {
      $0.text < $1.text
    })
    where collection != own && !inventory.common.contains(collection) {
      // A password inside the collection that it unlocks is useless.
      let locked = Set(
        inventory.items(.groupKey).filter {
          $0.path.parent == collection && $0.keyring?.collection == collection
        }
        .map(\.path))
      guard try await client.label(ofCollection: collection) == group.name,
        try await locked.isSuperset(of: client.items(of: collection))
      else { continue }
      // A locked collection accepts no new items between the check and the removal.
      try await client.lock(collection, .never)
      guard try await locked.isSuperset(of: client.items(of: collection)) else { continue }
      try await client.deleteCollection(collection, .never)
      for key in inventory.passwords(of: collection) { _ = try await client.deleteItem(key.path) }
    }
  }
}
