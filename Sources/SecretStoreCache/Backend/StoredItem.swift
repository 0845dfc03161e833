// SPDX-License-Identifier: MIT

import TokenCacheModel

/// One item as it was read.
struct StoredItem: Sendable {
  let path: ObjectPath
  let record: Record
  let revision: Int

  /// Of two copies the higher revision counts.
  func isNewer(than other: StoredItem) -> Bool {
    revision == other.revision ? path.text < other.path.text : revision > other.revision
  }
}
