// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// What stays by design when a group is deleted.
package struct GroupRemains: Sendable {
  /// The collections that hold others' items, with the numbers of these; their passwords stay, too.
  package private(set) var collections: [(label: String, count: Int)] = []

  /// The paths of the files of keyrings that could not be opened.
  package let files: [String]

  init(of group: AccessGroup, _ client: SecretServiceClient) async throws {
    files = KeyringFiles().kept(labelled: group.name)
    let passwords = try await client.search(ItemAttributes.all(GroupFinder.passwordKey, in: group)).unlocked
    let attributes = try await client.attributes(of: passwords)
    for file in Set(attributes.values.compactMap { GnomeKeyringFile(attribute: $0[ItemAttributes.keyring]) })
    {
      guard let collection = file.collection, try await client.isLocked(collection) != nil else { continue }
      let label = try await client.label(ofCollection: collection)
      // Any program can write a password item that points to another group's collection.
      guard label == group.name else { continue }
      collections.append((label, try await client.items(of: collection).count))
    }
  }
}
