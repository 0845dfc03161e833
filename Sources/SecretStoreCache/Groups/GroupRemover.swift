// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Removes a group with all that is in it; under the lock of those who make groups, or the password of a new one could go
/// with the old.
struct GroupRemover: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let interaction: Interaction

  private var finder: GroupFinder { GroupFinder(client: client, group: group) }

  /// Removes the group's collections, or, where it shares one, its items, and the passwords in the login collection.
  ///
  /// - Returns: Whether there was such a group.
  func remove() async throws -> Bool {
    let isLost = try await opensNoMore()
    let markers = try await client.search(finder.markerAttributes)
    var wasThere = false
    var kept: Set<ObjectPath> = []
    for collection in Set((markers.unlocked + markers.locked).map(\.parent)) {
      wasThere = true
      if try await stays(collection, isLost) {
        kept.insert(collection)
      } else {
        try await ignoringGone { try await client.deleteCollection(collection, interaction) }
      }
    }
    let rest = try await client.search(ItemAttributes.owner(group))
    let passwords = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    for item in Set(rest.unlocked + passwords.unlocked) {
      try await ignoringGone {
        if try await !opens(item, kept), try await !client.deleteItem(item) {
          try await RetiredItems(client: client, group: group).retire(item)
        }
      }
    }
    guard rest.locked.isEmpty, passwords.locked.isEmpty else {
      throw SecretStoreError(.groupLocked, "Items of the access group \(group) are locked.")
    }
    // A move that was cut short has nothing more to go on with.
    try VersionFile(of: group).settle()
    return wasThere
  }

  /// Runs a step that has nothing to do when somebody else has removed what it is about.
  private func ignoringGone(_ step: () async throws -> Void) async throws {
    do {
      try await step()
    } catch let error as BusError where error.meaning == .noSuchObject {}
  }

  /// Removes those of the group's collections that nothing can open.
  ///
  /// - Returns: Whether there was one.
  func removeLost() async throws -> Bool {
    var wasThere = false
    for collection in try await finder.lockedCollections() {
      do {
        try await finder.unlock(collection)
      } catch let error as SecretStoreError where error.code == .groupUnrecoverable {
        // Whoever else has something in it may know its password.
        guard try await !client.isCommon(collection), try await isAllOurs(collection) else { throw error }
        try await ignoringGone { try await client.deleteCollection(collection, interaction) }
        wasThere = true
      }
    }
    return wasThere
  }

  /// Whether nothing can open the group again; opens it otherwise, where that takes no dialog.
  ///
  /// What is locked may hide the group, and be left half removed: then nothing is done.
  private func opensNoMore() async throws -> Bool {
    do {
      _ = try await finder.find()
    } catch let error as SecretStoreError where error.code != .groupLocked {
      return error.code == .groupUnrecoverable
    }
    return false
  }

  /// Whether a collection stays: it is other people's, too, being the login or default one, one whose marker says so, or
  /// one that has their items in it, unless those are lost with the group's; or the provider would not delete it.
  private func stays(_ collection: ObjectPath, _ isLost: Bool) async throws -> Bool {
    if try await !client.traits().deletesCollections { return true }
    if try await client.isCommon(collection) { return true }
    if !isLost, try await !isAllOurs(collection) { return true }
    let markers = try await client.search(finder.markerAttributes).unlocked.filter { $0.parent == collection }
    let secrets = try await client.secrets(of: markers)
    return markers.contains { item in
      secrets[item].flatMap { try? GroupMarker(parsing: $0) }?.placement == .shared
    }
  }

  /// Whether all that a collection holds is the group's.
  private func isAllOurs(_ collection: ObjectPath) async throws -> Bool {
    let own = try await client.search(ItemAttributes.owner(group))
    return try await Set(client.items(of: collection)).isSubset(of: own.unlocked + own.locked)
  }

  /// Whether an item is the password of a collection that stays, for others' sake.
  private func opens(_ item: ObjectPath, _ kept: Set<ObjectPath>) async throws -> Bool {
    if kept.isEmpty { return false }
    let file = GnomeKeyringFile(attribute: try await client.attributes(of: item)[ItemAttributes.keyring])
    return file.map { kept.contains($0.collection) } ?? false
  }
}
