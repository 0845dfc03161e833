// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The items with a group's name and without the attribute of its publisher, which another program's copy may lack.
///
/// A group without a publisher has the attribute, too: it is empty. So no search for the group's items finds these. In
/// the group's own keyring they can only be the group's. Elsewhere they may be of any publisher's group of that name.
package struct ItemsWithoutPublisher: Sendable {
  /// The unlocked items in the group's own keyring, with their attributes.
  package private(set) var own: [ObjectPath: [String: String]] = [:]

  /// The unlocked items in other keyrings, with their attributes.
  private(set) var others: [ObjectPath: [String: String]] = [:]

  /// The items in locked keyrings, with their attributes, which may be digests.
  private(set) var locked: [ObjectPath: [String: String]] = [:]

  /// Those of the locked items whose attributes are digests.
  var hidden: Set<ObjectPath> { Set(locked.filter { $0.value["group"] == nil }.keys) }

  /// What gnome-keyring writes before the name of an attribute that is a digest.
  private static let digest = "gkr:compat:hashed:"

  /// Looks for the items.
  ///
  /// Of the unlocked ones, another program's are left out, which this library has not made.
  package init(of group: AccessGroup, _ client: SecretServiceClient) async throws {
    let named = try await client.search(["group": group.name])
    let known = try await client.search(ItemAttributes.owner(group))
    let rest = Set(named.unlocked + named.locked).subtracting(known.unlocked + known.locked)
    let attributes = try await client.attributes(of: Array(rest))
    let found = attributes.filter {
      !$0.value.isEmpty && $0.value["publisher"] == nil && $0.value[Self.digest + "publisher"] == nil
    }
    if found.isEmpty { return }
    let isLocked = Set(named.locked).contains
    locked = found.filter { isLocked($0.key) }
    let unlocked = found.filter { !isLocked($0.key) }
    let foreign = try await client.foreign(among: unlocked)
    let home = try await GroupProof(client: client, group: group).home()
    let keyring = home?.placement == .dedicated ? home?.collection : nil
    let isShared = attributes.contains { $0.value["publisher"] != nil && $0.key.parent == keyring }
    for (path, attributes) in unlocked where !foreign.contains(path) {
      if path.parent == keyring, !isShared {
        own[path] = attributes
      } else {
        others[path] = attributes
      }
    }
  }

  /// Returns the error of a removal that leaves items of this kind outside of the group's own keyring.
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
