// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// What a look-up has come across: entries with the records that hold them, and the first failure to read one.
struct KeychainSearch<Entry: KeychainEntry> {
  private struct Finding {
    let entry: Entry
    let record: RecordKey
    let date: Date
  }

  let query: KeychainItemQuery
  private var findings: [Finding] = []
  private var failure: SecretStoreError?
  /// The records in which something stands in the place of a removed credential.
  private(set) var tombstones: [RecordKey] = []

  init(_ query: KeychainItemQuery) { self.query = query }

  /// Takes a record up.
  ///
  /// One that can't be read is no obstacle when it can't hold what is looked for.
  mutating func add(_ record: Record) {
    let document: CacheDocument
    do throws(SecretStoreError) {
      document = try record.document()
    } catch {
      if failure == nil && query.mayConcern(record.key, Entry.self) { failure = error }
      return
    }
    if document.hasTombstones { tombstones.append(record.key) }
    let youngest = document.credentials.compactMap(\.modifiedAt).max() ?? .distantPast
    for entry in Entry.entries(in: document) where query.naming.matches(entry.keychainKey) {
      findings.append(Finding(entry: entry, record: record.key, date: entry.storedAt ?? youngest))
    }
  }

  /// The items found, the one stored last first; of several records' entries of one item, the newest over the others.
  private var items: [Entry] {
    var items: [Entry] = []
    var positions: [KeychainItemKey: [Int]] = [:]
    for finding in findings.sorted(by: Self.precedes) {
      let item = finding.entry.keychainKey.item
      if let position = positions[item]?.first(where: { items[$0].isSame(as: finding.entry) }) {
        items[position] = items[position].merged(over: finding.entry)
      } else {
        positions[item, default: []].append(items.count)
        items.append(finding.entry)
      }
    }
    return items.filter { query.matches($0.keychainKey) }
  }

  private static func precedes(_ left: Finding, _ right: Finding) -> Bool {
    if left.date != right.date { return left.date > right.date }
    let keys = (left.entry.keychainKey, right.entry.keychainKey)
    return (keys.0.account, keys.0.service, left.record.clientID)
      < (keys.1.account, keys.1.service, right.record.clientID)
  }

  /// All items that were asked for.
  ///
  /// - Throws: `corruptItem` when a record that may hold another can't be read.
  func all() throws(SecretStoreError) -> [Entry] {
    if let failure { throw failure }
    return items
  }

  /// The items that can be read, for whoever can do without the others.
  var readable: [Entry] { items }

  /// The item of a key; of several that only this package tells apart, the one stored last.
  ///
  /// - Throws: `ambiguousAccount` when items of several accounts have the key; `corruptItem` when there is none, and
  ///   a record that may hold it can't be read.
  func only() throws(SecretStoreError) -> Entry? {
    let items = items
    if items.isEmpty, let failure { throw failure }
    if Set(items.map(\.comparedAccount)).count > 1 {
      throw SecretStoreError(
        .ambiguousAccount, "Several accounts' items have the key: their ids differ by nothing but case.")
    }
    return items.first
  }

  /// The records that hold an item.
  func records(holding item: Entry) -> Set<RecordKey> {
    Set(findings.filter { $0.entry.isSameItem(as: item) }.map(\.record))
  }
}

extension KeychainView {
  /// Looks through all records that may hold what is asked for.
  func search<Entry: KeychainEntry>(_ query: KeychainItemQuery) async throws -> KeychainSearch<Entry> {
    var search = KeychainSearch<Entry>(query)
    for kind in Entry.recordKinds {
      for record in try await backend.records(matching: query.records(kind)) { search.add(record) }
    }
    if Entry.canBeLeftOver, let record = try await backend.record(for: CacheSplitter.leftovers) {
      search.add(record)
    }
    for record in search.tombstones { await bury(in: record) }
    return search
  }

  /// Removes the item of a key from all records that hold it.
  ///
  /// - Returns: What was removed; `nil` when there was no such item.
  func removeItem<Entry: KeychainEntry>(_ key: KeychainItemKey) async throws -> Entry? {
    let search: KeychainSearch<Entry> = try await search(KeychainItemQuery(key))
    guard let item = try search.only() else { return nil }
    var isRemoved = false
    for record in search.records(holding: item) {
      let isHere = try await backend.update(record) { stored in
        guard var document = stored else { return false }
        Entry.remove(from: &document) { $0.isSameItem(as: item) }
        let isHere = document != stored
        stored = record.kind == .family && !document.hasTokens ? nil : document
        return isHere
      }
      isRemoved = isRemoved || isHere
    }
    return isRemoved ? item : nil
  }
}
