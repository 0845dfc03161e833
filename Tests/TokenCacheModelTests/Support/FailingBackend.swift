// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A back end that fails to read or to write, or runs a hook before it does, over a working back end that can
/// be watched.
struct FailingBackend: TokenCacheBackend {
  let inner: InMemoryBackend
  var readError: SecretStoreError?
  var writeError: SecretStoreError?
  var beforeWriting: @Sendable () async throws -> Void = {}
  var beforeReading: @Sendable () async throws -> Void = {}
  var sharesLeases = true

  func records(matching query: RecordQuery) async throws -> [Record] {
    if let readError { throw readError }
    try await beforeReading()
    return try await inner.records(matching: query)
  }

  func record(for key: RecordKey) async throws -> Record? {
    if let readError { throw readError }
    try await beforeReading()
    return try await inner.record(for: key)
  }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    if let error = readError ?? writeError { throw error }
    try await beforeWriting()
    return try await inner.update(key, change)
  }

  func remove(_ key: RecordKey) async throws {
    if let error = readError ?? writeError { throw error }
    try await inner.remove(key)
  }

  func watch() async -> any GroupWatch { await inner.watch() }

  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await sharesLeases ? inner.withRefreshLease(on: key, body) : body()
  }
}
