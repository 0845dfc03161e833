// SPDX-License-Identifier: MIT

import SecretStoreCache
import TokenCacheModel

/// The items of one record that has more than one.
struct RecordCopies: Sendable {
  let key: RecordKey
  /// The item that counts: the one with the highest revision, in the group's own collection if there is one.
  ///
  /// Among equal revisions, the first path counts.
  let newest: GroupInventory.Item
  /// The other items that ``newest`` replaces: they have the same bytes, a lower revision, or the same revision outside
  /// of the group's own collection while ``newest`` is in it.
  let outdated: [GroupInventory.Item]
  /// Whether there is another item that can be read and that ``newest`` does not replace.
  let isUndecided: Bool

  /// Returns the copies of every record with several items that are not empty, in collections that are proven to be
  /// ones that may hold the group's records.
  static func all(in inventory: GroupInventory) -> [RecordCopies] {
    var items: [RecordKey: [GroupInventory.Item]] = [:]
    for item in inventory.records
    where item.bytes?.isEmpty == false && item.key?.kind != .damaged && inventory.isProven(item) {
      if let key = item.key { items[key, default: []].append(item) }
    }
    return items.values.compactMap { RecordCopies($0, home: inventory.location?.collection) }
      .sorted { $0.newest.path.text < $1.newest.path.text }
  }

  /// - Parameters:
  ///   - items: All items of one record. The result is `nil` for fewer than two.
  ///   - home: The group's own collection.
  init?(_ items: [GroupInventory.Item], home: ObjectPath?) {
    func isHome(_ item: GroupInventory.Item) -> Bool { item.path.parent == home && item.document != nil }
    func revision(_ item: GroupInventory.Item) -> Int { item.document?.metadata.revision ?? -1 }
    func rank(_ item: GroupInventory.Item) -> (Int, Int) { (isHome(item) ? 1 : 0, revision(item)) }
    let order = items.sorted { left, right in
      rank(left) == rank(right) ? left.path.text < right.path.text : rank(left) > rank(right)
    }
    guard order.count > 1, let newest = order.first, let key = newest.key else { return nil }
    self.key = key
    self.newest = newest
    func isOutdated(_ copy: GroupInventory.Item) -> Bool {
      copy.bytes == newest.bytes
        || copy.document != nil && newest.document != nil && rank(copy) < rank(newest)
          && revision(copy) <= revision(newest)
    }
    outdated = order.dropFirst().filter(isOutdated)
    isUndecided = order.dropFirst().contains { $0.document != nil && !isOutdated($0) }
  }
}
