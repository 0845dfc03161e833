// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The records that searches found.
struct StoredItems {
  var items: [RecordKey: StoredItem] = [:]
  /// An item without content.
  var blank: ObjectPath?
  /// Where the group is, when that had to be found out.
  var place: GroupLocation?
}
