// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The items of other publishers' groups of the same name, which any program can imitate.
extension GroupProof {
  /// Returns the passwords in the login collection that name a keyring file: the group's, and those of other
  /// publishers' groups of the same name.
  package func passwords(
    naming file: GnomeKeyringFile
  ) async throws -> (own: [ObjectPath], others: [ObjectPath]) {
    let found = try await found([
      "kind": RecordKind.groupKey.rawValue, ItemAttributes.keyring: file.attribute,
    ])
    let others = try await ofGroups(found.others)
    return (found.own.filter(Self.isInLogin), others.filter(Self.isInLogin))
  }

  /// Returns the collections with a marker of another publisher's group of the same name.
  package func collectionsMarkedByOthers() async throws -> Set<ObjectPath> {
    Set(try await markers().others.map(\.parent))
  }

  /// Returns the collections that have a marker of a group, and none of a group of this name.
  package func collectionsMarkedByOtherNames() async throws -> Set<ObjectPath> {
    let all = try await client.search(Self.marker)
    let named = try await client.search(Self.marker.merging(["group": group.name]) { $1 })
    return Set((all.unlocked + all.locked).map(\.parent))
      .subtracting((named.unlocked + named.locked).map(\.parent))
  }

  /// Returns the group's markers, and those of other publishers' groups of the same name.
  func markers() async throws -> (own: [ObjectPath], others: [ObjectPath]) {
    let found = try await found(Self.marker)
    return (found.own, try await ofGroups(found.others))
  }

  /// Returns whether a collection has the group's name and belongs to no other publisher's group of that name.
  ///
  /// It belongs to one if it has an item of it, or if it is the one that a password of it names.
  package func mayBeOwn(_ collection: ObjectPath) async throws -> Bool {
    guard try await isNamed(collection), try await !holdsItemsOfOthers(collection) else { return false }
    guard let file = GnomeKeyringFile(collection: collection) else { return true }
    let attributes = ["kind": RecordKind.groupKey.rawValue, ItemAttributes.keyring: file.attribute]
    return try await ofGroups(FoundItems(unlocked: found(attributes).others.unlocked)).isEmpty
  }

  private func holdsItemsOfOthers(_ collection: ObjectPath) async throws -> Bool {
    var found = try await found([:]).others
    found.unlocked.removeAll { $0.parent != collection }
    found.locked.removeAll { $0.parent != collection }
    return try await !ofGroups(found).isEmpty
  }

  /// Returns the items without those of other programs.
  ///
  /// Locked items stay, because their content is unknown. A marker and a password have the content that their
  /// attributes state, whatever their schema is.
  private func ofGroups(_ found: FoundItems) async throws -> [ObjectPath] {
    if found.unlocked.isEmpty { return found.locked }
    let keepsSchemas = try await client.traits().keepsSchemas
    let attributes = try await client.attributes(of: found.unlocked)
    let doubtful = attributes.filter {
      ItemAttributes.hasForeignSchema($0.value, keepsSchemas: keepsSchemas)
        || [.group, .groupKey].contains(ItemAttributes.key($0.value)?.kind)
    }
    let contents = try await client.secrets(of: Array(doubtful.keys))
    let foreign = doubtful.filter { !ItemAttributes.isContent(contents[$0.key], of: $0.value) }
    return found.locked + found.unlocked.filter { attributes[$0] != nil && foreign[$0] == nil }
  }

  /// Returns the items with these attributes of the group, and of other publishers' groups of the same name.
  private func found(
    _ attributes: [String: String]
  ) async throws -> (own: [ObjectPath], others: FoundItems) {
    var found = try await client.search(["group": group.name].merging(attributes) { $1 })
    if found.unlocked.isEmpty && found.locked.isEmpty { return ([], found) }
    let own = try await client.search(ItemAttributes.owner(group).merging(attributes) { $1 })
    let paths = Set(own.unlocked + own.locked)
    found.unlocked.removeAll(where: paths.contains)
    found.locked.removeAll(where: paths.contains)
    return (Array(paths), found)
  }
}
