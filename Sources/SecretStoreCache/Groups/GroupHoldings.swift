// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The collections with items of a group, and which of them belong to the group alone.
///
/// Each collection is judged by itself. Otherwise a program that can write a marker into a collection could have it
/// deleted together with the group.
package struct GroupHoldings: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  package init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  /// Returns every collection with an item of the group other than a password, sorted by path.
  ///
  /// - Parameter own: The group's items.
  func collections(of own: Set<ObjectPath>) async throws -> [ObjectPath] {
    let keys = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group))
    let items = own.subtracting(keys.unlocked + keys.locked)
    return Set(items.map(\.parent)).sorted { $0.text < $1.text }
  }

  /// Returns whether a collection is removed with the group: it is the group's alone, and the provider deletes
  /// collections.
  ///
  /// - Parameter own: The group's items.
  func isRemovable(_ collection: ObjectPath, with own: Set<ObjectPath>) async throws -> Bool {
    guard try await client.traits().deletesCollections else { return false }
    return try await isOwn(collection, with: own)
  }

  /// Returns whether a collection belongs to the group alone.
  ///
  /// Such a collection has the group's name, holds only the group's items, and is neither the login nor the default
  /// collection.
  ///
  /// - Parameter own: The group's items, as ``ownItems()`` returned them. An item that came later is not among
  ///   them, and so keeps the collection.
  package func isOwn(_ collection: ObjectPath, with own: Set<ObjectPath>) async throws -> Bool {
    if try await client.isCommon(collection) { return false }
    guard try await client.label(ofCollection: collection) == group.name else { return false }
    return try await Set(client.items(of: collection)).isSubset(of: own)
  }

  /// Returns what a removal would remove.
  func removal() async throws -> GroupSummary.Removal {
    let own = try await ownItems()
    let isOpened = try await openableWhileLocked()
    var found: [GroupSummary.Removal.Collection] = []
    for collection in try await collections(of: own) {
      let items = try await client.items(of: collection)
      let isLocked = try await client.isLocked(collection) == true
      let mayOpen = if isLocked { try await isOpened(collection) } else { true }
      let isRemoved = try await isRemovable(collection, with: own)
      found.append(
        GroupSummary.Removal.Collection(
          label: try await client.label(ofCollection: collection), count: items.count,
          ownCount: items.count(where: own.contains), isRemoved: isRemoved && mayOpen))
    }
    return GroupSummary.Removal(collections: found.sorted { ($0.label, $0.count) < ($1.label, $1.count) })
  }

  /// Returns a test of whether a removal opens a locked collection, or removes it as one that can't be opened.
  ///
  /// While the group's own collection is open, another locked one is only opened with a password of the group. A
  /// password that names another file does not belong to it.
  private func openableWhileLocked() async throws -> (ObjectPath) async throws -> Bool {
    let markers = try await client.search(GroupFinder(client: client, group: group).markerAttributes).unlocked
    let parents = Set(markers.map(\.parent))
    let proof = GroupProof(client: client, group: group)
    let standings = try await proof.standings(of: parents)
    guard parents.contains(where: { standings[$0] == .proven }) else {
      return { try await !proof.isLockedAndUnproven($0) }
    }
    let passwords = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group)).unlocked
    let files = try await client.attributes(of: passwords).values
      .map { GnomeKeyringFile(attribute: $0[ItemAttributes.keyring]) }
    return { collection in files.contains { $0 == nil || $0?.collection == collection } }
  }

  /// Returns the group's items, also those without a publisher in its own keyring.
  package func ownItems() async throws -> Set<ObjectPath> {
    try await ownItems(except: unrelatedItems(), with: ItemsWithoutOwner(of: group, client))
  }

  /// As ``ownItems()``.
  ///
  /// - Parameters:
  ///   - unrelated: What ``unrelatedItems()`` has returned.
  ///   - withoutOwner: The items without a publisher.
  func ownItems(
    except unrelated: Set<ObjectPath>, with withoutOwner: ItemsWithoutOwner
  ) async throws -> Set<ObjectPath> {
    let found = try await client.search(ItemAttributes.owner(group))
    return Set(found.unlocked + found.locked).subtracting(unrelated).union(withoutOwner.own.keys)
  }

  /// Returns the items of the kind of the group's marker, password or creation lease that don't hold one, and may belong
  /// to anybody; also those that were set aside as such, and other programs' items.
  ///
  /// A locked item can't be judged and is not among them.
  package func unrelatedItems() async throws -> Set<ObjectPath> {
    func contents(_ kind: RecordKind) async throws -> [ObjectPath: Secret] {
      let attributes = ItemAttributes.owner(group).merging(["kind": kind.rawValue]) { $1 }
      return try await client.secrets(of: client.search(attributes).unlocked).filter { !$0.value.isEmpty }
    }
    let markers = try await contents(.group).filter {
      !GroupMarker.isMarker($0.value, of: group)
    }
    let passwords = try await contents(.groupKey).filter {
      !GroupCreator.hasForm(ofPassword: $0.value)
    }
    let setAside = try await client.search(ItemAttributes.setAside(in: group)).unlocked
    let setAsideMarkers = try await client.attributes(of: setAside).filter {
      ItemAttributes.key($0.value)?.isSetAsideMarker == true
    }
    let owner = ItemAttributes.owner(group)
    let ownSchema = [SecretServiceClient.schemaAttribute: ItemAttributes.schema]
    let rest = try await Set(client.search(owner).unlocked)
      .subtracting(client.search(owner.merging(ownSchema) { $1 }).unlocked)
    let foreign = try await client.foreign(among: client.attributes(of: Array(rest)))
    let leases = try await GroupCreationLease(client: client, group: group).unrelatedItems()
    return Set(markers.keys).union(passwords.keys).union(setAsideMarkers.keys).union(foreign).union(leases)
  }
}
