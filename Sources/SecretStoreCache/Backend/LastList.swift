// SPDX-License-Identifier: MIT

import TokenCacheModel

/// What a list has brought, until the next look-up, write or wait: after that it may be out of date.
final class LastList: Sendable {
  private let records = Locked<[Record]>([])

  /// Keeps a list, in place of the one before.
  func keep(_ records: [Record]) { self.records.withLock { $0 = records } }

  /// Hands out the record of a key, if the list had it, and forgets all of them.
  func take(_ key: RecordKey) -> Record? {
    records.withLock { records in
      defer { records = [] }
      return records.first { $0.key == key }
    }
  }

  /// Forgets the list.
  func forget() { records.withLock { $0 = [] } }
}
