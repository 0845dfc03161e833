// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A back end that keeps its records in memory, for tests and previews.
///
/// Nothing survives the process.
///
/// ```swift
/// let cache = TokenCache(
///   backend: InMemoryBackend(), app: try AppIdentifier("com.contoso.mail"), clientID: "contoso-suite",
///   authority: try Authority("https://id.contoso.com"))
/// ```
public actor InMemoryBackend: TokenCacheBackend {
  /// The stored records, serialized as in a real store.
  private var stored: [RecordKey: [UInt8]] = [:]
  private var watches: [Weak<InMemoryWatch>] = []
  private var leases: Set<RecordKey> = []
  private let leaseTimeout: Duration

  /// Creates an empty back end.
  ///
  /// - Parameter leaseTimeout: How long to wait for a refresh lease that another task holds.
  public init(leaseTimeout: Duration = .seconds(30)) { self.leaseTimeout = leaseTimeout }

  /// Reads the records that match a query.
  public func records(matching query: RecordQuery) throws -> [Record] {
    try Task.checkCancellation()
    return stored.keys.filter(query.matches).compactMap(read)
  }

  /// Reads one record.
  public func record(for key: RecordKey) throws -> Record? {
    try Task.checkCancellation()
    return read(key)
  }

  /// Reads one record.
  ///
  /// Empty bytes count as no record. A store can leave them behind when it fails in the middle of a write.
  private func read(_ key: RecordKey) -> Record? {
    guard let bytes = stored[key], !bytes.isEmpty else { return nil }
    return Record(key: key, bytes: bytes)
  }

  /// Changes one record.
  ///
  /// The actor is the write lock.
  public func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) throws -> Outcome {
    try Task.checkCancellation()
    let document = try read(key)?.document()
    let (outcome, action) = try RecordChange.apply(change, to: document, key: key)
    switch action {
    case .nothing: break
    case .write(let document): put(document.serialized(), for: key)
    case .remove: put(nil, for: key)
    }
    return outcome
  }

  /// Removes one record.
  public func remove(_ key: RecordKey) throws {
    try Task.checkCancellation()
    put(nil, for: key)
  }

  /// Stores raw bytes without any check, as a foreign program might; for tests.
  public func storeRaw(_ bytes: [UInt8], for key: RecordKey) { put(bytes, for: key) }

  /// Stores or removes a record and notifies the watches.
  private func put(_ bytes: [UInt8]?, for key: RecordKey) {
    stored[key] = bytes
    watches.removeAll { $0.value == nil }
    for watch in watches.compactMap(\.value) { watch.wake() }
  }

  /// Starts to watch for changes; the group exists from the start.
  public func watch() -> any GroupWatch {
    let watch = InMemoryWatch(self)
    watches.append(Weak(value: watch))
    return watch
  }

  private struct Weak<Value: AnyObject> {
    weak var value: Value?
  }

  /// Runs `body` while no other task runs one for the same key, or without the lease after the lease timeout.
  public func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: nonisolated(nonsending) @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try Task.checkCancellation()
    let isHolder = try await acquire(key)
    defer { if isHolder { leases.remove(key) } }
    return try await body()
  }

  /// Waits for a lease; returns `false` when another task held it until the timeout.
  private func acquire(_ key: RecordKey) async throws -> Bool {
    let end = ContinuousClock.now + leaseTimeout
    while !leases.insert(key).inserted {
      guard ContinuousClock.now < end else { return false }
      try await Task.sleep(for: .milliseconds(1))
    }
    return true
  }
}

extension InMemoryBackend: CustomReflectable {
  /// An empty mirror, which shows none of the records.
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
