// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

extension SecretServiceBackend {
  /// What searches find: the open items with the attributes that each was found by.
  private struct SearchResult {
    var unlocked: [ObjectPath: [String: String]] = [:]
    var locked: Set<ObjectPath> = []
    var isIncomplete = false
    /// The secrets, where they came with it.
    var secrets: [ObjectPath: Secret]?
  }

  private func search(_ searches: [[String: String]]) async throws -> SearchResult {
    let answers = try await client.read(searches)
    var result = SearchResult(secrets: answers.secrets)
    for (attributes, found) in zip(searches, answers.found) {
      for path in found.unlocked { result.unlocked[path] = attributes }
      result.locked.formUnion(found.locked)
      if found.isIncomplete { result.isIncomplete = true }
    }
    return result
  }

  /// The newest item of each record that searches find.
  ///
  /// An item without a secret is no record's, and can become the one's that is searched for.
  ///
  /// - Parameter opens: Whether what is locked is opened, without a dialog.
  func stored(_ searches: [[String: String]], opening opens: Bool = true) async throws -> StoredItems {
    var place: GroupLocation?
    let era = era(on: try await client.connection())
    var found = try await search(searches)
    if found.isIncomplete || found.unlocked.isEmpty {
      // Locked, hidden or nothing: only the group's marker can tell what that means.
      let finder = GroupFinder(client: client, group: group)
      place = try await finder.find(opening: opens)
      if !found.locked.isEmpty || found.isIncomplete && found.unlocked.isEmpty {
        // Somebody, or this, may have opened it meanwhile.
        found = try await search(searches)
        if opens && !found.locked.isEmpty {
          for collection in Set(found.locked.map(\.parent)) { try await finder.unlock(collection) }
          found = try await search(searches)
        }
      } else if place == nil {
        return StoredItems()
      }
      guard found.locked.isEmpty else {
        throw SecretStoreError(.groupLocked, "Items of the access group \(group) are locked.")
      }
    }
    let secrets = try await secrets(of: &found, searches)
    var items: [RecordKey: StoredItem] = [:]
    var blank: ObjectPath?
    for (path, attributes) in found.unlocked {
      guard let secret = secrets[path] else { continue }
      guard !secret.isEmpty else {
        blank = path
        continue
      }
      let item = try await item(at: path, secret, searchedBy: attributes)
      if let other = items[item.record.key], !item.isNewer(than: other) { continue }
      items[item.record.key] = item
    }
    // A list's documents say themselves which records they are, and are believed for reading only: an item is
    // remembered, and so written to, when it was found by all of its record's attributes.
    known.withLock { known in
      for (key, item) in items where found.unlocked[item.path] == ItemAttributes.all(key, in: group) {
        known.remember(item.path, for: key, in: era)
      }
    }
    return StoredItems(items: items, blank: blank, place: place)
  }

  /// The secrets of what was found.
  ///
  /// What has gone since may have been moved, and a move makes the copy first: another search finds that.
  private func secrets(
    of found: inout SearchResult, _ searches: [[String: String]]
  ) async throws -> [ObjectPath: Secret] {
    var attempts = 3
    while true {
      let secrets = try await client.secrets(of: Array(found.unlocked.keys), obtained: found.secrets)
      attempts -= 1
      if attempts == 0 || found.unlocked.keys.allSatisfy({ secrets[$0] != nil }) { return secrets }
      found = try await search(searches)
      guard found.locked.isEmpty else { throw SecretServiceClient.locked }
    }
  }

  /// Reads an item.
  ///
  /// A document says which record it is; for any other content the attributes have to.
  private func item(
    at path: ObjectPath, _ secret: Secret, searchedBy attributes: [String: String]
  ) async throws -> StoredItem {
    if let document = secret.document, let key = document.sharing.record,
      ItemAttributes.all(key, in: group).contains(attributes)
    {
      return StoredItem(
        path: path, record: Record(key: key, document: document), revision: document.sharing.revision)
    }
    let own = try await client.attributes(of: path)
    let key = ItemAttributes.key(own) ?? RecordKey(kind: .groupData)
    return StoredItem(path: path, record: secret.read { Record(key: key, bytes: $0) }, revision: -1)
  }

  /// The record as it is now: by its item's path when that is known, else by a search.
  func current(_ key: RecordKey) async throws -> (item: StoredItem?, place: GroupLocation?) {
    let era = era(on: try await client.connection())
    if let path = known.withLock({ $0.path(of: key, in: era) }) {
      if let document = try await content(of: path)?.document, document.sharing.record == key {
        let item = StoredItem(
          path: path, record: Record(key: key, document: document), revision: document.sharing.revision)
        return (item, nil)
      }
      known.withLock { $0.forget(key) }
    }
    let stored = try await stored([ItemAttributes.all(key, in: group)])
    if stored.items[key] == nil, let blank = stored.blank {
      known.withLock { $0.remember(blank, for: key, in: era) }
    }
    return (stored.items[key], stored.place)
  }

  /// What a known item holds; `nil` when it is gone or locked, which a search can do something about.
  private func content(of path: ObjectPath) async throws -> Secret? {
    do {
      return try await client.secrets(of: [path])[path]
    } catch let error as SecretStoreError where error.code == .groupLocked {
      return nil
    }
  }
}
