// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A keyring that is the group's according to the marker in its own one, and that no stored password opens.
///
/// An interrupted repair or move left it, or it has items of others.
struct OtherKeyring: Sendable, Hashable {
  let collection: ObjectPath
  let isLocked: Bool
  /// Whether the move is not done with it: it has items of the group, or none at all.
  let isUnfinished: Bool
}

extension GroupInventory {
  /// Finds the other keyrings that the marker in the group's own collection names.
  mutating func findOthers(by client: SecretServiceClient) async throws {
    guard usesPasswords, let own = location?.collection else { return }
    let markers = markerItems.filter { $0.path.parent == own }.compactMap(\.bytes)
      .compactMap { try? GroupMarker(parsing: $0, of: group) }
    let named = Set(markers.flatMap(\.otherCollections)).subtracting(common + [own])
    if named.isEmpty { return }
    let foreign = try await GroupProof(client: client, group: group).collectionsMarkedByOthers()
    let found = try await client.search(ItemAttributes.owner(group))
    let holders = Set((found.unlocked + found.locked).map(\.parent))
    for collection in named.subtracting(foreign).sorted(by: { $0.text < $1.text }) {
      guard let isLocked = try await client.isLocked(collection),
        try await client.label(ofCollection: collection) == group.name
      else { continue }
      var isUnfinished = holders.contains(collection)
      if !isLocked, !isUnfinished { isUnfinished = try await client.items(of: collection).isEmpty }
      others.append(
        OtherKeyring(collection: collection, isLocked: isLocked, isUnfinished: isUnfinished))
    }
  }

  /// Those whose items can still be brought into the group's own collection.
  var unfinished: [OtherKeyring] { others.filter { !$0.isLocked && $0.isUnfinished } }

  /// Returns the path of a collection's file.
  func file(of collection: ObjectPath) -> String {
    GnomeKeyringFile(collection: collection).map { KeyringFiles(folder: folder).path(of: $0) } ?? group.name
  }
}
