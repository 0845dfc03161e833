// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The items of a group that no search for its items finds, because another program has changed or left out the
/// attributes of their owner: the group's name and its publisher.
///
/// In the keyring that is only this group's own, items without a publisher and those of no known group are the group's,
/// also those that have lost all attributes and hold a record or the group's marker. Elsewhere they are looked for by
/// the group's name. In the own keyring of another publisher's group of that name, as long as it is open, they are that
/// one's; in any other keyring, such as the login keyring, they may be either's. The items of a group without a
/// publisher have that attribute, too: it is empty.
package struct ItemsWithoutOwner: Sendable {
  /// The group's: the unlocked items in its own keyring, with their attributes.
  package private(set) var own: [ObjectPath: [String: String]] = [:]

  /// Those whose group is unknown: the unlocked items in other keyrings, with their attributes.
  private(set) var others: [ObjectPath: [String: String]] = [:]

  /// The items in locked keyrings, with their attributes, which may be digests.
  private(set) var locked: [ObjectPath: [String: String]] = [:]

  /// Those of the locked items whose attributes are digests.
  var hidden: Set<ObjectPath> { Set(locked.filter { $0.value["group"] == nil }.keys) }

  /// Returns whether an item is among the group's, and its attributes are those that it had.
  ///
  /// The schema may be another one: gnome-keyring shows its own after it has read the keyring's file again.
  func isOwn(_ item: ObjectPath, _ attributes: [String: String]) -> Bool {
    func stated(_ attributes: [String: String]) -> [String: String] {
      attributes.filter { $0.key != SecretServiceClient.schemaAttribute }
    }
    return own[item].map { stated($0) == stated(attributes) } == true
  }

  /// Returns the locked items that a search by attributes of the group's items would find if they had the publisher.
  func locked(
    matching attributes: [String: String], _ client: SecretServiceClient
  ) async throws -> Set<ObjectPath> {
    let others = attributes.filter { $0.key != "publisher" }
    let found = locked.filter { item in
      item.value["group"] != nil && others.allSatisfy { item.value[$0.key] ?? "" == $0.value }
    }
    let hidden = self.hidden
    if hidden.isEmpty { return Set(found.keys) }
    return try await hidden.intersection(client.search(others).locked).union(found.keys)
  }

  /// What gnome-keyring writes before the name of an attribute that is a digest.
  private static let digest = "gkr:compat:hashed:"

  /// Looks for the items.
  ///
  /// Of the unlocked ones, another program's are left out, which this library has not made.
  package init(of group: AccessGroup, _ client: SecretServiceClient) async throws {
    let named = try await client.search(["group": group.name])
    let known = try await client.search(ItemAttributes.owner(group))
    let found = Set(known.unlocked + known.locked)
    let keyring = try await GroupProof(client: client, group: group).ownKeyring()
    if let keyring { own = try await Self.items(of: keyring, besides: found, group, client) }
    let rest = Set(named.unlocked + named.locked).subtracting(found)
    if rest.isEmpty { return }
    let sameNamed = try await SameNamedGroups(as: group, client)
    let attributes = try await client.attributes(of: Array(rest.subtracting(sameNamed.items)))
    let lacking = attributes.filter {
      !$0.value.isEmpty && $0.value["publisher"] == nil && $0.value[Self.digest + "publisher"] == nil
    }
    if lacking.isEmpty { return }
    let withPublisher = sameNamed.items.union(attributes.keys.filter { lacking[$0] == nil })
    // A keyring with items of several publishers proves nothing.
    let theirs = try await sameNamed.own(among: Set(lacking.keys.map(\.parent)))
      .subtracting(found.map(\.parent))
    let ours = withPublisher.contains { $0.parent == keyring } ? nil : keyring
    let unclear = lacking.filter { !theirs.contains($0.key.parent) }
    let isLocked = Set(named.locked).contains
    locked = unclear.filter { isLocked($0.key) }
    let unlocked = unclear.filter { !isLocked($0.key) }
    let foreign = try await client.foreign(among: unlocked)
    for (path, attributes) in unlocked where !foreign.contains(path) {
      if path.parent == ours { own[path] = attributes } else { others[path] = attributes }
    }
  }

  /// Returns the items of a group's own keyring that state no group, or one without a marker and a password.
  ///
  /// Where that has the group's name and another publisher, they hold a record.
  ///
  /// - Parameter known: The items that state the group.
  private static func items(
    of keyring: ObjectPath, besides known: Set<ObjectPath>, _ group: AccessGroup,
    _ client: SecretServiceClient
  ) async throws -> [ObjectPath: [String: String]] {
    // Elsewhere an item without a schema may be anybody's.
    guard try await client.traits().keepsSchemas else { return [:] }
    let rest = try await client.items(of: keyring).filter { !known.contains($0) }
    if rest.isEmpty { return [:] }
    let owner = ["group", "publisher"]
    var items = try await client.attributes(of: rest).filter {
      $0.value["group"] != group.name || $0.value["publisher"] != nil
    }
    let bare = try await bare(among: items, of: group, client)
    for path in try await client.foreign(among: items) where bare[path] == nil { items[path] = nil }
    for stated in Set(items.values.map({ $0.filter { owner.contains($0.key) } })) where stated["group"] != nil
    {
      var isThere = false
      for kind in [RecordKind.group, .groupKey] {
        let found = try await client.search(stated.merging(["kind": kind.rawValue]) { $1 })
        isThere = isThere || !found.unlocked.isEmpty || !found.locked.isEmpty
      }
      if !isThere { continue }
      items = items.filter { item in item.value.filter { owner.contains($0.key) } != stated }
    }
    let ofPublishers = items.filter { $0.value["group"] == group.name }.map(\.key)
    let held = try await records(of: ofPublishers, in: group, client)
    for path in ofPublishers where held[path] == nil { items[path] = nil }
    return items
  }

  /// Returns those of the unlocked items that have lost all attributes, each with the record that its content names; for
  /// a marker of the group that is the marker's.
  ///
  /// An item with another program's schema is that program's, whatever it holds.
  package static func bare(
    among items: [ObjectPath: [String: String]], of group: AccessGroup, _ client: SecretServiceClient
  ) async throws -> [ObjectPath: RecordKey] {
    let schema = SecretServiceClient.schemaAttribute
    let bare = items.filter { item in
      item.value.keys.allSatisfy { $0 == schema }
        && !ItemAttributes.hasForeignSchema(item.value, keepsSchemas: false)
    }
    return try await records(of: Array(bare.keys), in: group, client)
  }

  /// Returns the records that the content of unlocked items names, or the marker's key for a marker of the group.
  package static func records(
    of items: [ObjectPath], in group: AccessGroup, _ client: SecretServiceClient
  ) async throws -> [ObjectPath: RecordKey] {
    if items.isEmpty { return [:] }
    let kindsWithoutDocument: [RecordKind] = [.group, .groupKey, .damaged]
    return try await client.secrets(of: items).compactMapValues { content in
      if let record = content.document?.metadata.record {
        return kindsWithoutDocument.contains(record.kind) ? nil : record
      }
      return (try? GroupMarker(parsing: content, of: group)) == nil ? nil : GroupFinder.markerKey
    }
  }

  /// Returns the error of a removal that leaves items whose group is unknown.
  static func error(_ what: String, in collections: [String]) -> SecretStoreError {
    SecretStoreError(
      .storageFailed,
      "Left of \(what): an item without the attribute publisher, which may be of another publisher's group of that"
        + " name. It is in the keyring \(collections.joined(separator: ", ")).", underlying: Left())
  }

  private struct Left: ErrorWithRemedy {
    var remedy: String { "Delete it in Passwords and Keys, which shows the attributes." }
  }
}
