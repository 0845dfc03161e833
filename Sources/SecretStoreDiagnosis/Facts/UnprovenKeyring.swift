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
  /// What opens it after the next login.
  let key: Key

  /// What opens a keyring.
  enum Key: Int {
    /// A password that only a user knows, if at all.
    case unknownPassword
    /// Nothing has to: its file is not encrypted, so that any program may have written it. No app opens it.
    case none
    /// A stored password.
    case storedPassword
  }
}

extension GroupInventory {
  /// Finds the unproven keyrings, and counts the records that only other keyrings of other programs have.
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
    if only.isEmpty { return }
    let ofOthers = try await proof.collectionsMarkedByOthers()
    for (collection, items) in Dictionary(grouping: only, by: \.path.parent)
    where !ofOthers.contains(collection) {
      guard try await finder.hasGroupName(collection) else {
        onlyElsewhere += Set(items.compactMap(\.record?.key)).count
        continue
      }
      let key: UnprovenKeyring.Key =
        if try await finder.isPlain(collection) {
          .none
        } else if try await mayOpen(collection, by: proof) {
          .storedPassword
        } else {
          .unknownPassword
        }
      let label = try await client.label(ofCollection: collection)
      unproven.append(UnprovenKeyring(label: label, count: items.count, key: key))
    }
    unproven.sort { ($0.key.rawValue, $0.label) < ($1.key.rawValue, $1.label) }
  }

  /// Returns whether a stored password opens a collection, or may: the right one may be in a locked collection.
  private func mayOpen(_ collection: ObjectPath, by proof: GroupProof) async throws -> Bool {
    do {
      return try await proof.opensWithGroupPassword(collection)
    } catch SecretStoreError.Code.groupLocked {
      return true
    }
  }
}
