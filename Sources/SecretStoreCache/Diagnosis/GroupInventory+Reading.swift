// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension GroupInventory {
  /// Takes stock of a group that has been opened.
  static func read(_ group: AccessGroup, at place: GroupLocation?, from client: SecretServiceClient)
    async throws -> GroupInventory
  {
    var inventory = GroupInventory(group: group, place: place)
    inventory.usesKeys = try await client.traits().offersGnomeInterface
    for alias in ["login", "default"] {
      if let collection = try await client.collection(alias: alias) { inventory.common.append(collection) }
    }
    for collection in try await client.collections().sorted(by: { $0.text < $1.text })
    where try await client.label(ofCollection: collection) == group.name {
      if try await !isAnothers(collection, group, client) { inventory.namesakes.append(collection) }
    }
    let paths = try await client.search(ItemAttributes.owner(group)).unlocked.sorted { $0.text < $1.text }
    let secrets = try await client.secrets(of: paths)
    inventory.items = try await items(paths, secrets, of: group, from: client)
    let known = inventory.collections
    inventory.namesakes.removeAll { known.contains($0) || inventory.common.contains($0) }
    if inventory.usesKeys {
      for collection in known + inventory.namesakes where try await isRemembered(collection, by: client) {
        inventory.remembered.insert(collection)
      }
    }
    return inventory
  }

  /// Whether a collection of the group's name is that of another publisher's group: it has a marker or a password of
  /// one.
  private static func isAnothers(
    _ collection: ObjectPath, _ group: AccessGroup, _ client: SecretServiceClient
  ) async throws -> Bool {
    let name = ["group": group.name]
    let markers = try await client.search(name.merging(["kind": RecordKind.group.rawValue]) { $1 })
    let inside = (markers.unlocked + markers.locked).filter { $0.parent == collection }
    let own = try await client.search(ItemAttributes.owner(group))
    let ours = Set(own.unlocked + own.locked)
    if inside.contains(where: { !ours.contains($0) }) { return true }
    guard let file = GnomeKeyringFile(collection: collection) else { return false }
    let keys = try await client.search(
      name.merging([
        "kind": RecordKind.groupKey.rawValue, ItemAttributes.keyring: file.attribute,
      ]) { $1 })
    return keys.unlocked.contains { !ours.contains($0) }
  }

  /// Whether any item has the password of a collection, ours or gnome-keyring's own.
  private static func isRemembered(
    _ collection: ObjectPath, by client: SecretServiceClient
  ) async throws -> Bool {
    guard let file = GnomeKeyringFile(collection: collection) else { return false }
    let items = try await client.search([ItemAttributes.keyring: file.attribute]).unlocked
    return try await client.secrets(of: items).values.contains { !$0.isEmpty }
  }

  /// Items with their attributes.
  ///
  /// Thousands are slow to ask one by one: a document says itself which record it is, and is asked only when another
  /// one says the same.
  private static func items(
    _ paths: [ObjectPath], _ secrets: [ObjectPath: Secret], of group: AccessGroup,
    from client: SecretServiceClient
  ) async throws -> [Item] {
    var stated: [ObjectPath: RecordKey] = [:]
    for path in paths {
      stated[path] = secrets[path]?.document?.sharing.record
    }
    let counts = stated.values.reduce(into: [RecordKey: Int]()) { $0[$1, default: 0] += 1 }
    let asked = paths.filter { path in stated[path].map { counts[$0] != 1 } ?? true }
    let attributes = try await client.attributes(of: asked)
    return paths.map { path in
      let known = attributes[path] ?? stated[path].map { ItemAttributes.all($0, in: group) } ?? [:]
      return Item(path: path, attributes: known, bytes: secrets[path])
    }
  }
}
