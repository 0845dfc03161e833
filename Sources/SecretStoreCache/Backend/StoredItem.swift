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
