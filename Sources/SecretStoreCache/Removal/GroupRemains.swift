// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// What stays by design when a group is deleted.
package struct GroupRemains: Sendable {
  /// A collection that stays, or in which something stays.
  package struct Collection: Sendable, Hashable {
    package let label: String
    /// The number of its items.
    package let count: Int
  }

  /// The collections of the group's name to which passwords belong that stay in the login collection.
  package private(set) var collections: [Collection] = []

  /// The labels of other collections to which such passwords belong: any program can write them.
  package private(set) var others: [String] = []

  /// The collections with items that have the attributes of the group's marker or password but hold something else,
  /// with the numbers of these.
  package private(set) var unrelated: [Collection] = []

  /// Whether some of the items of ``unrelated`` were set aside.
  package private(set) var hasSetAside = false

  /// The other collections with items of the group's name and without a publisher, with the numbers of these.
  package private(set) var withoutOwner: [Collection] = []

  /// The paths of the files of keyrings that could not be opened.
  package let files: [String]

  init(of group: AccessGroup, _ client: SecretServiceClient) async throws {
    try await client.keyringFiles.refuseRemains(of: group, client)
    files = try await client.keyringFiles.kept(labelled: group.name)
    let passwords = try await GroupFinder(client: client, group: group).ownPasswords().values
    for file in Set(passwords.compactMap { GnomeKeyringFile(attribute: $0[ItemAttributes.keyring]) }) {
      guard let collection = file.collection, try await client.isLocked(collection) != nil else { continue }
      let label = try await client.label(ofCollection: collection)
      guard label == group.name else {
        others.append(label)
        continue
      }
      collections.append(Collection(label: label, count: try await client.items(of: collection).count))
    }
    let withoutOwner = try await ItemsWithoutOwner(of: group, client)
    for (collection, items) in Dictionary(grouping: withoutOwner.others.keys, by: \.parent) {
      let label = try await client.displayName(ofCollection: collection)
      guard !collections.contains(where: { $0.label == label }) else { continue }
      self.withoutOwner.append(Collection(label: label, count: items.count))
    }
    let setAside = try await client.search(ItemAttributes.setAside(in: group)).unlocked
    let left = try await GroupHoldings(client: client, group: group).unrelatedItems()
    hasSetAside = !left.isDisjoint(with: setAside)
    for (collection, items) in Dictionary(grouping: left, by: \.parent) {
      unrelated.append(
        Collection(label: try await client.displayName(ofCollection: collection), count: items.count))
    }
  }
}
