// SPDX-License-Identifier: MIT

import TokenCacheModel

/// An item as it was read, with the record that it holds.
struct StoredItem: Sendable {
  let path: ObjectPath
  let record: Record
  let revision: Int

  /// Returns whether this copy has the higher revision.
  ///
  /// The path decides between equal revisions.
  func isNewer(than other: StoredItem) -> Bool {
    revision == other.revision ? path.text < other.path.text : revision > other.revision
  }
}

extension [RecordKey: StoredItem] {
  /// Adds an item, unless a newer item of its record is already there.
  mutating func keepNewest(_ item: StoredItem) {
    if let other = self[item.record.key], !item.isNewer(than: other) { return }
    self[item.record.key] = item
  }
}

/// The records that searches found.
struct StoredItems {
  var items: [RecordKey: StoredItem] = [:]
  /// An item without content.
  var blank: ObjectPath?
  /// What the group's markers say, when they were read.
  var claims: GroupClaims?
  /// The apps without shared locks that write the group, according to its markers, when that was asked for.
  var writers = UnsharedLockWriters()
}
