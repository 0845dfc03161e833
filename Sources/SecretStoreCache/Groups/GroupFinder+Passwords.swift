// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension GroupFinder {
  /// Returns the items of the open login collection that have the label and the form of a password of the group, and have
  /// lost attributes, so that no search finds them.
  ///
  /// They name no other program's schema, no other kind and no other group.
  package func passwordsLackingAttributes() async throws -> [ObjectPath] {
    guard let login = try await client.collection(alias: "login"), try await client.isOpen(login) else {
      return []
    }
    let label = ItemAttributes.label(Self.passwordKey, in: group)
    var found: [ObjectPath] = []
    for (item, attributes) in try await client.attributes(of: client.items(of: login))
    where isIncomplete(attributes) {
      if try await client.label(of: item) == label { found.append(item) }
    }
    let secrets = try await client.secrets(of: found)
    return found.filter { secrets[$0].map(GroupCreator.hasForm(ofPassword:)) == true }
  }

  /// Returns whether attributes lack some of those by which a password of the group is found, and have another value of
  /// none.
  private func isIncomplete(_ attributes: [String: String]) -> Bool {
    if ItemAttributes.hasForeignSchema(attributes, keepsSchemas: false) { return false }
    let wanted = ItemAttributes.all(Self.passwordKey, in: group)
    if attributes.contains(wanted) { return false }
    return wanted.allSatisfy { attributes[$0.key] ?? $0.value == $0.value }
  }

  /// The greatest number of passwords that are tried for a collection, because any program can store them.
  ///
  /// To try one on an open collection makes the daemon write the keyring's file.
  static let maximumTries = 64

  /// Returns the items with passwords that are tried for a collection, the likelier ones first.
  ///
  /// Those go first that this library has made for the collection's file, and of them the one that was stored when the
  /// collection got its marker: another program can copy the attributes, but not the time.
  func passwordsToTry(_ items: [ObjectPath], for collection: ObjectPath) async throws -> [ObjectPath] {
    if items.count < 2 { return items }
    let own = try await ownPasswords()
    let file = GnomeKeyringFile(collection: collection)?.attribute
    let markers = try await client.search(markerAttributes)
    var times: [Int] = []
    for marker in markers.unlocked + markers.locked where marker.parent == collection {
      times.append(try await client.created(marker))
    }
    let made = times.min() ?? 0
    var ranked: [(rank: Int, distance: Int, item: ObjectPath)] = []
    for item in items {
      let rank = own[item].map { $0[ItemAttributes.keyring] == file ? 0 : 1 } ?? 2
      let distance = rank == 2 ? 0 : abs(try await client.created(item) - made)
      ranked.append((rank, distance, item))
    }
    return ranked.sorted { ($0.rank, $0.distance, $0.item.text) < ($1.rank, $1.distance, $1.item.text) }
      .prefix(Self.maximumTries).map(\.item)
  }
}
