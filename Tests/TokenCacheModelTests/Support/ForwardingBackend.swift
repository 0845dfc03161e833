// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A back end that forwards each call that it doesn't implement itself to an inner one.
protocol ForwardingBackend: TokenCacheBackend {
  associatedtype Inner: TokenCacheBackend

  nonisolated var inner: Inner { get }
}

extension ForwardingBackend {
  func records(matching query: RecordQuery) async throws -> [Record] {
    try await inner.records(matching: query)
  }

  func record(for key: RecordKey) async throws -> Record? { try await inner.record(for: key) }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await inner.update(key, change)
  }

  func remove(_ key: RecordKey) async throws { try await inner.remove(key) }

  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await inner.withRefreshLease(on: key, body)
  }
}
