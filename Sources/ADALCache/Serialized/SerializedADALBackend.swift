// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import UnifiedCache

/// A back end that joins an access group with a cache that an app serializes itself.
///
/// ``SerializedADALCache/joined(to:delegate:)`` says what it does.
package actor SerializedADALBackend: TokenCacheBackend {
  private let group: any TokenCacheBackend
  private let cache: SerializedADALCache
  private let delegate: any SerializedADALCacheDelegate
  /// The last call that uses the serialized cache; the next call waits for it.
  private var lastCall: Task<Void, Never>?

  /// Creates a back end over a group and a serialized cache.
  ///
  /// - Parameters:
  ///   - group: The group's back end.
  ///   - cache: The content of the serialized cache.
  ///   - delegate: The app's code that loads and stores the serialized cache.
  package init(
    over group: any TokenCacheBackend, cache: SerializedADALCache, delegate: any SerializedADALCacheDelegate
  ) {
    self.group = group
    self.cache = cache
    self.delegate = delegate
  }

  /// Reads the records that match a query.
  package func records(matching query: RecordQuery) async throws -> [Record] {
    try await records(matchingAny: [query])
  }

  /// Reads the records that match any of several queries.
  package func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    let stored = try await group.records(matchingAny: queries)
    guard queries.contains(where: { $0.kind == .legacy }) else { return stored }
    var records = Dictionary(stored.map { ($0.key, $0) }) { first, _ in first }
    for token in try await read({ await $0.items }) {
      let key = RecordKey.legacy(token)
      guard queries.contains(where: { $0.matches(key) }) else { continue }
      records[key] = Self.joined(records[key], token, key)
    }
    return Array(records.values)
  }

  /// Reads one record.
  package func record(for key: RecordKey) async throws -> Record? {
    let stored = try await group.record(for: key)
    guard key.kind == .legacy, let token = try await read({ await $0.item(for: key) }) else {
      return stored
    }
    return Self.joined(stored, token, key)
  }

  /// Changes one record; an ADAL record in the group first, then in the serialized cache.
  package func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    guard key.kind == .legacy else { return try await group.update(key, change) }
    return try await write { cache in
      let own = await cache.item(for: key)
      let (outcome, token) = try await group.update(key) { stored in
        let before = Self.joined(stored, own)
        var after = before
        let outcome = try change(&after)
        if after != before { stored = after }
        return (outcome, after?.adalToken)
      }
      await cache.set(token?.kind == nil ? nil : token, for: key)
      return outcome
    }
  }

  /// Removes one record; an ADAL record from both.
  package func remove(_ key: RecordKey) async throws {
    guard key.kind == .legacy else { return try await group.remove(key) }
    try await write { cache in
      try await group.remove(key)
      await cache.set(nil, for: key)
    }
  }

  /// Runs `body` under the group's lease.
  package func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await group.withRefreshLease(on: key, body)
  }

  // MARK: The serialized cache

  private func read<Outcome>(
    _ body: (SerializedADALCache) async throws -> Outcome
  ) async throws -> Outcome {
    try await serially {
      try await delegate.willAccess(cache)
      return try await Self.always(delegate.didAccess, cache, after: body)
    }
  }

  private func write<Outcome>(
    _ body: (SerializedADALCache) async throws -> Outcome
  ) async throws -> Outcome {
    try await serially {
      try await delegate.willWrite(cache)
      return try await Self.always(delegate.didWrite, cache, after: body)
    }
  }

  /// Calls the delegate's `did…` method even if `body` failed: the app may hold a lock until then.
  private static func always<Outcome>(
    _ callback: (SerializedADALCache) async throws -> Void, _ cache: SerializedADALCache,
    after body: (SerializedADALCache) async throws -> Outcome
  ) async throws -> Outcome {
    let outcome: Outcome
    do {
      outcome = try await body(cache)
    } catch {
      try? await callback(cache)
      throw error
    }
    try await callback(cache)
    return outcome
  }

  /// Runs one call at a time, in order.
  private func serially<Outcome>(_ body: () async throws -> Outcome) async throws -> Outcome {
    let (end, ended) = AsyncStream<Void>.makeStream()
    let before = lastCall
    lastCall = Task { for await _ in end {} }
    defer { ended.finish() }
    await before?.value
    return try await body()
  }

  // MARK: Two copies

  private static func joined(_ record: Record?, _ own: ADALToken, _ key: RecordKey) -> Record? {
    guard let record else { return joined(nil, own).map { Record(key: key, document: $0) } }
    guard let document = try? record.document() else { return record }
    return joined(document, own).map { Record(key: key, document: $0) }
  }

  /// Returns the group's item, or the serialized cache's if it is newer and the group's is not a tombstone.
  private static func joined(_ document: CacheDocument?, _ own: ADALToken?) -> CacheDocument? {
    guard let own else { return document }
    if let token = document?.adalToken {
      let isYounger = own.issuedAt ?? .distantPast > token.issuedAt ?? .distantPast
      if token.kind == nil || !isYounger { return document }
    }
    var joined = document ?? CacheDocument()
    joined.adalToken = own
    return joined
  }
}
