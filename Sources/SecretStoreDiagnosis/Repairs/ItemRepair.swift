// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// The repair of single items: it removes those that are safe to remove, which are empty items and older copies, and
/// restores attributes.
///
/// Each item is read again under the write lock of its record. Only items in collections that are proven to be ones
/// that may hold the group's records are changed or removed.
struct ItemRepair: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  /// Receives how many records are looked at, and of how many.
  var progress: WorkProgress.Report?

  func removeEmptyItems() async throws {
    try await eachRecord { inventory in
      inventory.isEmptied ? [] : inventory.records.filter { $0.bytes?.isEmpty == true }.compactMap(\.key)
    } remove: { items, _ in
      items.filter { $0.bytes?.isEmpty == true }
    }
  }

  func removeOutdatedCopies() async throws {
    try await eachRecord { inventory in
      RecordCopies.all(in: inventory).map(\.key)
    } remove: { items, home in
      RecordCopies(items.filter { $0.bytes?.isEmpty == false }, home: home)?.outdated ?? []
    }
  }

  /// Gives items whose attributes another program has changed or removed those of the record in their content.
  func restoreAttributes() async throws {
    let (_, found) = try await GroupLockCheck(client: client, group: group).run()
    if let found { try await restoreAttributes(of: found.restorable) }
  }

  /// As ``restoreAttributes()``.
  ///
  /// Where another item has the record, such as that of a later sign-in, nothing shows which of the two is newer, and
  /// they stay as they are.
  ///
  /// - Parameter restorable: The items, as ``GroupInventory/restorable`` has them.
  func restoreAttributes(of restorable: [ObjectPath: RecordKey]) async throws {
    var progress = WorkProgress(of: restorable.count, self.progress)
    for (path, key) in restorable where key != GroupFinder.markerKey {
      try await FileLock(.write, of: key, in: group).run {
        guard try await items(of: key).isEmpty,
          let attributes = try await client.attributes(of: [path])[path],
          !attributes.contains(ItemAttributes.owner(group)) || ItemAttributes.key(attributes) != key,
          try await ItemsWithoutOwner.records(of: [path], in: group, client)[path] == key
        else { return }
        try await client.setAttributes(withSchema: ItemAttributes.all(key, in: group), of: path)
      }
      Deadline.restart()
      progress.finishItem()
    }
  }

  private func eachRecord(
    _ keys: (GroupInventory) -> [RecordKey],
    remove chosen: ([GroupInventory.Item], _ home: ObjectPath?) -> [GroupInventory.Item]
  ) async throws {
    let (_, found) = try await GroupLockCheck(client: client, group: group).run()
    guard let inventory = found else { return }
    let records = Set(keys(inventory))
    var progress = WorkProgress(of: records.count, self.progress)
    for key in records {
      try await FileLock(.write, of: key, in: group).run {
        let items = try await items(of: key)
        for item in chosen(items, inventory.location?.collection) {
          try await RecycledItems(client: client, group: group).delete(item.path)
        }
      }
      Deadline.restart()
      progress.finishItem()
    }
  }

  private func items(of key: RecordKey) async throws -> [GroupInventory.Item] {
    let finder = GroupFinder(client: client, group: group)
    let found = try await finder.search(ItemAttributes.identifying(key, in: group))
    guard found.unsearchedCollections.isEmpty else { throw SecretServiceClient.locked }
    let attributes = try await client.attributes(of: found.unlocked).filter {
      ItemAttributes.key($0.value) == key
    }
    let foreign = try await client.foreign(among: attributes)
    let secrets = try await client.secrets(of: found.unlocked)
    let standings = try await GroupProof(client: client, group: group)
      .standings(of: Set(found.unlocked.map(\.parent)))
    return attributes.filter { !foreign.contains($0.key) && standings[$0.key.parent] == .proven }
      .map { GroupInventory.Item(path: $0, attributes: $1, bytes: secrets[$0]) }
  }
}
