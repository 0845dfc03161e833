// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The items of one record that has more than one.
struct RecordCopies: Sendable {
  let key: RecordKey
  /// The one that counts: of the highest revision, and of several such the one whose path comes first.
  let newest: GroupInventory.Item
  /// The others that hold nothing which ``newest`` does not replace: of a lower revision, or the same bytes.
  let outdated: [GroupInventory.Item]

  /// Every record with several items that hold something.
  static func all(in inventory: GroupInventory) -> [RecordCopies] {
    var items: [RecordKey: [GroupInventory.Item]] = [:]
    for item in inventory.records where item.bytes?.isEmpty == false {
      if let key = item.key { items[key, default: []].append(item) }
    }
    return items.values.compactMap { RecordCopies($0) }.sorted { $0.newest.path.text < $1.newest.path.text }
  }

  /// - Parameter items: All items of one record; `nil` when there are fewer than two, or none can be read.
  init?(_ items: [GroupInventory.Item]) {
    func revision(_ item: GroupInventory.Item) -> Int { item.document?.sharing.revision ?? -1 }
    let order = items.sorted { left, right in
      let (one, two) = (revision(left), revision(right))
      return one == two ? left.path.text < right.path.text : one > two
    }
    guard order.count > 1, let newest = order.first, let key = newest.key else { return nil }
    self.key = key
    self.newest = newest
    outdated = order.dropFirst().filter { copy in
      copy.bytes == newest.bytes
        || copy.document != nil && newest.document != nil && revision(copy) < revision(newest)
    }
  }
}
