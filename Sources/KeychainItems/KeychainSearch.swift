// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import UnifiedCache

/// The state of a look-up: matching entries with the records that hold them, and the first read error.
struct KeychainSearch<Entry: KeychainEntry> {
  private struct Match {
    let entry: Entry
    let record: RecordKey
    let date: Date
  }

  let query: KeychainItemQuery
  private var matches: [Match] = []
  private var failure: SecretStoreError?
  /// The records that hold tombstones of removed credentials.
  private(set) var tombstones: [RecordKey] = []

  init(_ query: KeychainItemQuery) { self.query = query }

  /// Adds the matching entries of a record.
  ///
  /// If the record can't be read, keeps the error only when the record may hold matching entries.
  mutating func add(_ record: Record) {
    let document: CacheDocument
    do throws(SecretStoreError) {
      document = try record.document()
    } catch {
      if failure == nil && query.mayMatch(record.key, Entry.self) { failure = error }
      return
    }
    if document.hasTombstones { tombstones.append(record.key) }
    let youngest = document.credentials.compactMap(\.modifiedAt).max() ?? .distantPast
    for entry in Entry.entries(in: document) where query.naming.matches(entry.keychainKey) {
      matches.append(Match(entry: entry, record: record.key, date: entry.storedAt ?? youngest))
    }
  }

  /// The matching items, the one stored last first; the newest copy is merged over others of the same item.
  var items: [Entry] {
    var items: [Entry] = []
    var positions: [KeychainItemKey: [Int]] = [:]
    for match in matches.sorted(by: Self.precedes) {
      let item = match.entry.keychainKey.item
      if let position = positions[item]?.first(where: { items[$0].isSame(as: match.entry) }) {
        items[position] = items[position].merged(over: match.entry)
      } else {
        positions[item, default: []].append(items.count)
        items.append(match.entry)
      }
    }
    return items.filter { query.matches($0.keychainKey) }
  }

  private static func precedes(_ left: Match, _ right: Match) -> Bool {
    if left.date != right.date { return left.date > right.date }
    let keys = (left.entry.keychainKey, right.entry.keychainKey)
    return (keys.0.account, keys.0.service, left.record.clientID)
      < (keys.1.account, keys.1.service, right.record.clientID)
  }

  /// Returns the item of a key; the one stored last of several copies that only this package distinguishes.
  ///
  /// - Throws: `ambiguousAccount` when items of several accounts have the key; `corruptItem` when there is no item
  ///   and a record that may hold it can't be read.
  func only() throws(SecretStoreError) -> Entry? {
    let items = items
    if items.isEmpty, let failure { throw failure }
    if Set(items.map(\.comparedAccount)).count > 1 {
      throw SecretStoreError(
        .ambiguousAccount, "Several accounts' items have the key: their ids or issuers differ by case only.")
    }
    return items.first
  }

  /// Returns the records that hold an item.
  func records(holding item: Entry) -> Set<RecordKey> {
    Set(matches.filter { $0.entry.isSameItem(as: item) }.map(\.record))
  }
}

extension KeychainView {
  /// Searches all records that may hold matching entries, and removes the tombstones that it finds.
  func search<Entry: KeychainEntry>(_ query: KeychainItemQuery) async throws -> KeychainSearch<Entry> {
    var search = KeychainSearch<Entry>(query)
    for kind in Entry.recordKinds {
      for record in try await backend.records(matching: query.records(kind)) { search.add(record) }
    }
    if Entry.canBeLeftOver, let record = try await backend.record(for: CachePartitioner.leftovers) {
      search.add(record)
    }
    for record in search.tombstones { await removeTombstones(in: record) }
    return search
  }

  /// Removes a key's item from all records that hold it.
  ///
  /// - Returns: The removed item; `nil` when there was none.
  func removeItem<Entry: KeychainEntry>(_ key: KeychainItemKey) async throws -> Entry? {
    let search: KeychainSearch<Entry> = try await search(KeychainItemQuery(key))
    guard let item = try search.only() else { return nil }
    var isRemoved = false
    for record in search.records(holding: item) {
      let isChanged = try await backend.update(record) { stored in
        guard var document = stored else { return false }
        Entry.remove(from: &document) { $0.isSameItem(as: item) }
        let isChanged = document != stored
        stored = record.kind == .family && !document.hasTokens ? nil : document
        return isChanged
      }
      isRemoved = isRemoved || isChanged
    }
    return isRemoved ? item : nil
  }

  /// Removes tombstones, and a family's record that has no tokens left.
  ///
  /// The caller is only reading. So errors are ignored; the next look-up tries again.
  func removeTombstones(in record: RecordKey) async {
    try? await backend.update(record) { stored in
      stored?.removeCredentials(where: \.isTombstone)
      if record.kind == .family && stored?.hasTokens == false { stored = nil }
    }
  }
}
