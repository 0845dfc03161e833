// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import TokenCacheModel

/// What the Secret Service holds of a group, in every keyring.
extension SecretStore {
  /// Returns every item of a group that a sign-out may remove, also in locked keyrings.
  ///
  /// An item that is being written, or is waiting to be used again, is not among them.
  ///
  /// Through the agent there is none.
  package func accountItems(of group: AccessGroup) async throws -> Set<ObjectPath> {
    if try await usesAgent(for: group) { return [] }
    return try await guarded { client in
      let owner = ItemAttributes.owner(group)
      let kinds = ItemAttributes.kindsWithoutRecord + ItemAttributes.kindsWithoutAccount
      func others() async throws -> Set<ObjectPath> {
        var others: Set<ObjectPath> = []
        for kind in kinds {
          let found = try await client.search(owner.merging(["kind": kind]) { $1 })
          others.formUnion(found.unlocked + found.locked)
        }
        return others
      }
      // One may come or go meanwhile.
      let before = try await others()
      let found = try await client.search(owner)
      return try await Set(found.unlocked + found.locked).subtracting(before).subtracting(others())
    }
  }

  /// Returns what the items of a group hold in unlocked keyrings, also older copies of records.
  ///
  /// What an item without a publisher holds is among it, unless the item is known to be another publisher's.
  ///
  /// Through the agent there is none.
  package func copies(in group: AccessGroup) async throws -> [Record] {
    if try await usesAgent(for: group) { return [] }
    return try await guarded { client in
      let paths = try await client.search(ItemAttributes.owner(group)).unlocked
      let foreign = try await client.foreign(among: client.attributes(of: paths))
      let withoutOwner = try await ItemsWithoutOwner(of: group, client)
      let secrets = try await client.secrets(
        of: paths.filter { !foreign.contains($0) } + withoutOwner.own.keys + withoutOwner.others.keys)
      return secrets.values.compactMap(\.document).compactMap { document in
        document.metadata.record.map { Record(key: $0, document: document) }
      }
    }
  }

  /// Returns what stays by design of a group that was deleted.
  package func remains(of group: AccessGroup) async throws -> GroupRemains {
    try await guarded { try await GroupRemains(of: group, $0) }
  }
}
