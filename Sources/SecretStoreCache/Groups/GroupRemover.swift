// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Removes a group with all that is in it.
struct GroupRemover: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let interaction: Interaction

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// Removes the group's collections, or, where it shares one, its items, and the passwords in the login collection.
  ///
  /// - Returns: Whether there was such a group.
  func remove() async throws -> Bool {
    let markers = try await client.search(finder.markerAttributes)
    var wasThere = false
    for collection in Set((markers.unlocked + markers.locked).map(\.parent)) {
      wasThere = true
      if try await isShared(collection) { continue }
      try await client.deleteCollection(collection, interaction)
    }
    let rest = try await client.search(ItemAttributes.owner(group))
    let passwords = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    for item in Set(rest.unlocked + passwords.unlocked) where try await !client.deleteItem(item) {
      try await RetiredItems(client: client, group: group).retire(item)
    }
    guard rest.locked.isEmpty, passwords.locked.isEmpty else {
      throw SecretStoreError(.groupLocked, "Items of the access group \(group) are locked.")
    }
    return wasThere
  }

  /// Whether a collection is other people's, too: the login or default one, one whose marker says so, or one that a
  /// person has made for the group and uses for something else.
  private func isShared(_ collection: ObjectPath) async throws -> Bool {
    if try await !client.traits().offersGnomeInterface {
      let own = try await client.search(ItemAttributes.owner(group))
      let items = try await client.items(of: collection)
      if !Set(items).isSubset(of: own.unlocked + own.locked) { return true }
    }
    for alias in ["login", "default"] {
      if try await client.collection(alias: alias) == collection { return true }
    }
    let markers = try await client.search(finder.markerAttributes).unlocked.filter { $0.parent == collection }
    let secrets = try await client.secrets(of: markers)
    return markers.contains { item in
      secrets[item].flatMap { try? GroupMarker(parsing: $0) }?.placement == .shared
    }
  }
}
