// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A back end that caches each record until a write, and counts its reads.
final class KeepingBackend: ForwardingBackend {
  private struct Contents {
    var kept: [RecordKey: Record] = [:]
    var reads = 0
  }

  let inner: InMemoryBackend
  private let state = Locked(Contents())

  init(inner: InMemoryBackend) { self.inner = inner }

  /// The number of reads of a record.
  var reads: Int { state.withLock(\.reads) }

  func cachedRecord(for key: RecordKey) -> Record? { state.withLock { $0.kept[key] } }

  func record(for key: RecordKey) async throws -> Record? {
    let record = try await inner.record(for: key)
    state.withLock { state in
      state.reads += 1
      state.kept[key] = record
    }
    return record
  }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    state.withLock { $0.kept[key] = nil }
    return try await inner.update(key, change)
  }

  func remove(_ key: RecordKey) async throws {
    state.withLock { $0.kept[key] = nil }
    try await inner.remove(key)
  }
}
