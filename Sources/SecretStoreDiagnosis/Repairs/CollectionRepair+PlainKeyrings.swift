// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

extension CollectionRepair {
  /// Removes the open keyrings of the group's name that are not encrypted and hold only copies of what is in the group's
  /// own one: every program can read them.
  ///
  /// Where a copy is newer or can't be read, the keyring stays, and doctor names it.
  ///
  /// - Parameter check: Is called between the comparison and the last look.
  func removePlainCopies(of own: ObjectPath, _ check: () async throws -> Void = {}) async throws {
    let finder = GroupFinder(client: client, group: group)
    let files = try await client.keyringFiles
    for collection in try await client.collections() where collection != own {
      guard try await finder.isPlain(collection), try await client.isLocked(collection) == false,
        try await finder.hasGroupName(collection), try await !client.isCommon(collection)
      else { continue }
      guard let file = GnomeKeyringFile(collection: collection), let version = files.version(of: file)
      else { continue }
      let items = try await client.items(of: collection)
      // An empty one may be a person's.
      guard !items.isEmpty, try await areCopies(items, of: own) else { continue }
      try await check()
      // A locked collection accepts no change between the check and the removal. The daemon writes its file at each.
      try await client.lock(collection, .never)
      guard files.version(of: file) == version else {
        try await finder.reopen(collection)
        continue
      }
      try await client.deleteCollection(collection, .never)
    }
  }

  /// Returns whether each item is a marker of the group, or a record of which another collection has the same content
  /// or a later revision.
  private func areCopies(_ items: [ObjectPath], of own: ObjectPath) async throws -> Bool {
    let attributes = try await client.attributes(of: items)
    let secrets = try await client.secrets(of: items)
    for item in items {
      guard let stated = attributes[item], let content = secrets[item],
        stated.contains(ItemAttributes.owner(group)), let key = ItemAttributes.key(stated),
        !ItemAttributes.isForeign(stated, content, keepsSchemas: true)
      else { return false }
      if key == GroupFinder.markerKey, GroupMarker.isMarker(content, of: group) { continue }
      let copies = try await client.search(ItemAttributes.identifying(key, in: group)).unlocked
        .filter { $0.parent == own }
      let contents = try await client.secrets(of: copies).values
      guard contents.contains(where: { $0 == content || Self.isLater($0, than: content) }) else {
        return false
      }
    }
    return true
  }

  private static func isLater(_ content: Secret, than other: Secret) -> Bool {
    guard let revision = content.document?.metadata.revision,
      let former = other.document?.metadata.revision
    else { return false }
    return revision > former
  }
}
