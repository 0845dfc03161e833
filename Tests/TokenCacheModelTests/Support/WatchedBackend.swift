// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A back end that records its calls and runs hooks before and after them.
struct WatchedBackend: TokenCacheBackend {
  let inner: InMemoryBackend
  let log = RecordedCalls()
  /// Records that a reader does not see yet, as if it had read before they were written.
  var unseen: Set<RecordKey> = []
  var beforeLease: @Sendable (RecordKey) async throws -> Void = { _ in }
  var beforeUpdate: @Sendable (RecordKey) async throws -> Void = { _ in }
  var afterRecords: @Sendable (RecordQuery) async throws -> Void = { _ in }

  func records(matching query: RecordQuery) async throws -> [Record] {
    log.add("records \(query.kind)")
    let records = try await inner.records(matching: query)
    try await afterRecords(query)
    return records
  }

  func record(for key: RecordKey) async throws -> Record? {
    log.add("record \(key.kind)")
    return unseen.contains(key) ? nil : try await inner.record(for: key)
  }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    log.add("update \(key.kind)")
    try await beforeUpdate(key)
    return try await inner.update(key, change)
  }

  func remove(_ key: RecordKey) async throws {
    log.add("remove \(key.kind)")
    try await inner.remove(key)
  }

  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await beforeLease(key)
    return try await inner.withRefreshLease(on: key, body)
  }
}
