// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// An access group joined with the cache that an app serialises itself.
///
/// For an app of ADAL's that keeps its own blob and is to share sign-in with a group: with this back end its
/// ``ADALTokenCache`` or ``TokenCache`` finds ADAL's items of both, of two copies the younger one, and what it changes is
/// changed in both. All else is the group's alone. What the group says of signing out holds for the blob, too.
public actor SerializedADALBackend: TokenCacheBackend {
  private let group: any TokenCacheBackend
  private let cache: SerializedADALCache
  private let delegate: any SerializedADALCacheDelegate
  /// The call that has the blob, which the next one waits for.
  private var turn: Task<Void, Never>?

  /// Joins a blob with a group.
  ///
  /// - Parameters:
  ///   - group: The group's back end.
  ///   - cache: The blob's content.
  ///   - delegate: Where the blob is stored.
  public init(
    over group: any TokenCacheBackend, cache: SerializedADALCache, delegate: any SerializedADALCacheDelegate
  ) {
    self.group = group
    self.cache = cache
    self.delegate = delegate
  }

  /// Reads the records that a query asks for.
  public func records(matching query: RecordQuery) async throws -> [Record] {
    try await records(matchingAny: [query])
  }

  /// Reads the records that any of several queries asks for.
  public func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    let stored = try await group.records(matchingAny: queries)
    guard queries.contains(where: { $0.kind == .legacy }) else { return stored }
    var records = Dictionary(stored.map { ($0.key, $0) }) { first, _ in first }
    for token in try await reading({ await $0.items }) {
      let key = RecordKey.legacy(token)
      guard queries.contains(where: { $0.matches(key) }) else { continue }
      records[key] = Self.joined(records[key], token, key)
    }
    return Array(records.values)
  }

  /// Reads one record.
  public func record(for key: RecordKey) async throws -> Record? {
    let stored = try await group.record(for: key)
    guard key.kind == .legacy, let token = try await reading({ await $0.item(for: key) }) else {
      return stored
    }
    return Self.joined(stored, token, key)
  }

  /// Changes one record; one of ADAL's in the group first, then in the blob.
  public func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    guard key.kind == .legacy else { return try await group.update(key, change) }
    return try await writing { cache in
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

  /// Removes one record, from both.
  public func remove(_ key: RecordKey) async throws {
    guard key.kind == .legacy else { return try await group.remove(key) }
    try await writing { cache in
      try await group.remove(key)
      await cache.set(nil, for: key)
    }
  }

  /// Runs `body` under the group's lease.
  public func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await group.withRefreshLease(on: key, body)
  }

  // MARK: The blob

  private func reading<Outcome>(
    _ body: (SerializedADALCache) async throws -> Outcome
  ) async throws -> Outcome {
    try await inTurn {
      try await delegate.willAccess(cache)
      return try await Self.always(delegate.didAccess, cache, after: body)
    }
  }

  private func writing<Outcome>(
    _ body: (SerializedADALCache) async throws -> Outcome
  ) async throws -> Outcome {
    try await inTurn {
      try await delegate.willWrite(cache)
      return try await Self.always(delegate.didWrite, cache, after: body)
    }
  }

  /// Tells the app of the end even when what it was for failed: it may keep others waiting until then.
  private static func always<Outcome>(
    _ tell: (SerializedADALCache) async throws -> Void, _ cache: SerializedADALCache,
    after body: (SerializedADALCache) async throws -> Outcome
  ) async throws -> Outcome {
    let outcome: Outcome
    do {
      outcome = try await body(cache)
    } catch {
      try? await tell(cache)
      throw error
    }
    try await tell(cache)
    return outcome
  }

  /// Runs one call at a time.
  private func inTurn<Outcome>(_ body: () async throws -> Outcome) async throws -> Outcome {
    let (end, ended) = AsyncStream<Void>.makeStream()
    let before = turn
    turn = Task { for await _ in end {} }
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

  /// The group's item, or the blob's where that is younger and the group's was not removed.
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
