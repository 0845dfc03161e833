// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A back end that keeps its records in memory: for tests and previews. Nothing survives the process.
///
/// ```swift
/// let cache = TokenCache(
///   backend: InMemoryBackend(), app: try AppIdentifier("com.contoso.mail"), clientID: "contoso-suite",
///   authority: try Authority("https://id.contoso.com"))
/// ```
public actor InMemoryBackend: TokenCacheBackend {
  /// What is stored, serialised as a real store has it.
  private var stored: [RecordKey: [UInt8]] = [:]
  private var watches: [Weak<InMemoryWatch>] = []
  private var leases: [RecordKey: [CheckedContinuation<Void, Never>]] = [:]

  /// Makes an empty back end.
  public init() {}

  /// Reads the records that a query asks for.
  public func records(matching query: RecordQuery) throws -> [Record] {
    try Task.checkCancellation()
    return stored.keys.filter(query.matches).compactMap(read)
  }

  /// Reads one record.
  public func record(for key: RecordKey) throws -> Record? {
    try Task.checkCancellation()
    return read(key)
  }

  /// The record of a key; empty bytes are none, as a store leaves them that failed in the middle of a write.
  private func read(_ key: RecordKey) -> Record? {
    guard let bytes = stored[key], !bytes.isEmpty else { return nil }
    return Record(key: key, bytes: bytes)
  }

  /// Changes one record; the actor is the write lock.
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

  /// Puts raw bytes in a record's place, as a stranger would.
  public func plant(_ bytes: [UInt8], for key: RecordKey) { put(bytes, for: key) }

  /// Stores and tells those who watch.
  private func put(_ bytes: [UInt8]?, for key: RecordKey) {
    stored[key] = bytes
    watches.removeAll { $0.value == nil }
    for watch in watches.compactMap(\.value) { watch.ring() }
  }

  /// Begins to watch for changes; the group is there from the start.
  public func watch() -> any GroupWatch {
    let watch = InMemoryWatch(self)
    watches.append(Weak(value: watch))
    return watch
  }

  private struct Weak<Value: AnyObject> {
    weak var value: Value?
  }

  /// Runs `body` while no other task runs one for the same key.
  public func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    await acquire(key)
    defer { release(key) }
    return try await body()
  }

  private func acquire(_ key: RecordKey) async {
    if leases[key] == nil {
      leases[key] = []
    } else {
      await withCheckedContinuation { leases[key]?.append($0) }
    }
  }

  private func release(_ key: RecordKey) {
    guard var waiting = leases[key] else { return }
    if waiting.isEmpty {
      leases[key] = nil
    } else {
      let next = waiting.removeFirst()
      leases[key] = waiting
      next.resume()
    }
  }
}

extension InMemoryBackend: CustomReflectable {
  /// Shows nothing of what is stored.
  public nonisolated var customMirror: Mirror { Mirror(self, children: []) }
}
