// SPDX-License-Identifier: MIT

import KeychainGroupModel

@testable import TokenCacheModel
@testable import UnifiedCache

/// A back end of which another program damages records, which are set aside then.
struct DamagedBackend: ForwardingBackend, DamagedRecords {
  let inner: InMemoryBackend
  /// The records of which something is set aside.
  let setAside = Locked<Set<RecordKey>>([])
  /// Runs when a record is set aside, and after the answer was found.
  var afterSettingAside: @Sendable () async throws -> Void = {}

  /// Damages a record, and sets it aside.
  func damage(_ key: RecordKey) async throws {
    try await inner.remove(key)
    setAside.withLock { _ = $0.insert(key) }
  }

  /// Removes everything, also what is set aside.
  func removeEverything() async throws {
    for kind in RecordKind.allCases {
      for record in try await inner.records(matching: .all(kind)) { try await inner.remove(record.key) }
    }
    setAside.withLock { $0 = [] }
  }

  func setAside(_ key: RecordKey, since time: Int) async throws -> Bool {
    let isSetAside = setAside.withLock { $0.contains(key) }
    try await afterSettingAside()
    return isSetAside
  }

  func requirePlace(of key: RecordKey) {}

  func forgetPlaces() {}
}
