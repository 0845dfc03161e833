// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// An open keyring of a group's name that is not proven to be the group's, and has records without another copy.
///
/// The group's own keyring is one after it has lost its marker, and its password or its label.
struct UnprovenKeyring: Sendable, Hashable {
  let label: String
  /// The number of those records.
  let count: Int
  /// Whether a stored password opens it after the next login.
  let opensAtLogin: Bool
}

extension GroupInventory {
  /// Finds the unproven keyrings.
  ///
  /// Another program's keyring with another name is not among them, nor is that of another publisher's group.
  ///
  /// - Parameter others: The items in collections that are not proven to be the group's.
  mutating func findUnproven(_ others: [Item], by client: SecretServiceClient) async throws {
    let known = Set(records.filter { $0.bytes?.isEmpty == false }.compactMap(\.key))
    let only = others.filter { item in
      item.record.map { ![.group, .damaged].contains($0.key.kind) && !known.contains($0.key) } == true
        && DamagedItem(path: item.path, attributes: item.attributes, content: item.bytes, in: group) == nil
    }
    let finder = GroupFinder(client: client, group: group)
    let proof = GroupProof(client: client, group: group)
    for (collection, items) in Dictionary(grouping: only, by: \.path.parent) {
      guard try await finder.hasGroupName(collection), try await !proof.isMarkedByAnother(collection) else {
        continue
      }
      unproven.append(
        UnprovenKeyring(
          label: try await client.label(ofCollection: collection), count: items.count,
          opensAtLogin: finder.isPlain(collection) ? false : try await mayOpen(collection, by: proof)))
    }
    unproven.sort { ($0.opensAtLogin ? 1 : 0, $0.label) < ($1.opensAtLogin ? 1 : 0, $1.label) }
  }

  /// Returns whether a stored password opens a collection, or is in a locked collection.
  private func mayOpen(_ collection: ObjectPath, by proof: GroupProof) async throws -> Bool {
    do {
      return try await proof.opensWithGroupPassword(collection)
    } catch SecretStoreError.Code.groupLocked {
      return true
    }
  }
}
