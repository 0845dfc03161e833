// SPDX-License-Identifier: MIT

import TokenCacheModel

/// The records and locks that the instances of a ``FaultyBackend`` share.
actor FaultyStore {
  private(set) var items: [RecordKey: [UInt8]] = [:]
  private var locks: Set<String> = []

  func put(_ bytes: [UInt8]?, for key: RecordKey) { items[key] = bytes }

  /// Takes a lock, unless it is held.
  func take(_ lock: String) -> Bool { locks.insert(lock).inserted }

  func release(_ lock: String) { locks.remove(lock) }
}
