// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Removes items of a group that nobody misses: empty ones, and older copies.
///
/// Each is looked at again under its record's write lock.
struct ItemRepair: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  func removeEmptyItems() async throws {
    try await eachRecord { inventory in
      inventory.records.filter { $0.bytes?.isEmpty == true }.compactMap(\.key)
    } remove: { items in
      items.filter { $0.bytes?.isEmpty == true }
    }
  }

  func removeOutdatedCopies() async throws {
    try await eachRecord { inventory in
      RecordCopies.all(in: inventory).map(\.key)
    } remove: { items in
      RecordCopies(items.filter { $0.bytes?.isEmpty == false })?.outdated ?? []
    }
  }

  private func eachRecord(
    _ keys: (GroupInventory) -> [RecordKey],
    remove chosen: ([GroupInventory.Item]) -> [GroupInventory.Item]
  ) async throws {
    let (_, found) = try await GroupLockCheck(client: client, group: group).find()
    guard let inventory = found else { return }
    for key in Set(keys(inventory)) {
      try await FileLock("write", of: key, in: group).run {
        for item in chosen(try await items(of: key)) where try await !client.deleteItem(item.path) {
          try await RetiredItems(client: client, group: group).retire(item.path)
        }
      }
    }
  }

  private func items(of key: RecordKey) async throws -> [GroupInventory.Item] {
    let attributes = ItemAttributes.all(key, in: group)
    let found = try await client.search(attributes)
    guard !found.isIncomplete else { throw SecretServiceClient.locked }
    let secrets = try await client.secrets(of: found.unlocked)
    return found.unlocked.map { GroupInventory.Item(path: $0, attributes: attributes, bytes: secrets[$0]) }
  }
}
