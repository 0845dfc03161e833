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

extension StoredItem {
  /// The record at a path, among secrets that were read; `nil` when the path's secret holds something else.
  init?(_ path: ObjectPath, of key: RecordKey, in secrets: [ObjectPath: Secret]) {
    guard let document = secrets[path]?.document, document.metadata.record == key,
      document.holdsSecret(of: key)
    else { return nil }
    self.init(
      path: path, record: Record(key: key, document: document), revision: document.metadata.revision)
  }
}

/// A record as it was read before a change, and what the change depends on.
struct ChangeableRecord {
  var item: StoredItem?
  /// The unlocked items with the record's attributes: the item, unless another program has changed its attributes, and
  /// copies of it.
  var copies: Set<ObjectPath>
  /// What the group's markers say, when they were searched for.
  var claims: GroupClaims?
  /// The apps without shared locks that write the group, according to its markers.
  var writers: UnsharedLockWriters
}

/// The records that searches found.
struct StoredItems {
  var items: [RecordKey: StoredItem] = [:]
  /// The unlocked items that the searches found.
  var found: Set<ObjectPath> = []
  /// An item without content.
  var blank: ObjectPath?
  /// What the group's markers say, when they were read.
  var claims: GroupClaims?
  /// The apps without shared locks that write the group, according to its markers, when that was asked for.
  var writers = UnsharedLockWriters()
}
