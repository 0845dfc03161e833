// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The records and locks that the instances of a ``FaultyBackend`` share.
actor FaultyStore {
  private(set) var items: [RecordKey: [UInt8]] = [:]
  /// Whether reads fail.
  private(set) var hasFailed = false
  private var locks: Set<String> = []

  func put(_ bytes: [UInt8]?, for key: RecordKey) { items[key] = bytes }

  func replaceAll(_ items: [RecordKey: [UInt8]]) { self.items = items }

  func fail(_ fails: Bool) { hasFailed = fails }

  /// Takes a lock, unless it is held.
  func take(_ lock: String) -> Bool { locks.insert(lock).inserted }

  func release(_ lock: String) { locks.remove(lock) }
}
