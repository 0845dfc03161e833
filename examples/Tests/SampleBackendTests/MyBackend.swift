// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Records in memory. A back end of yours has its store in place of `items`.
actor MyBackend: TokenCacheBackend {
  private var items: [RecordKey: [UInt8]] = [:]
  private var leases: Set<RecordKey> = []
  private let leaseTimeout: Duration

  init(leaseTimeout: Duration = .seconds(30)) { self.leaseTimeout = leaseTimeout }

  func records(matching query: RecordQuery) throws -> [Record] {
    try Task.checkCancellation()
    return items.keys.filter(query.matches).compactMap(read)
  }

  func record(for key: RecordKey) throws -> Record? {
    try Task.checkCancellation()
    return read(key)
  }

  private func read(_ key: RecordKey) -> Record? {
    guard let bytes = items[key], !bytes.isEmpty else { return nil }
    return Record(key: key, bytes: bytes)
  }

  /// The actor is the write lock, because the method does not suspend.
  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) throws -> Outcome {
    try Task.checkCancellation()
    let (outcome, action) = try RecordChange.apply(change, to: read(key)?.document(), key: key)
    switch action {
    case .nothing: break
    case .write(let document): items[key] = document.serialized()
    case .remove: items[key] = nil
    }
    return outcome
  }

  func remove(_ key: RecordKey) throws {
    try Task.checkCancellation()
    items[key] = nil
  }

  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: nonisolated(nonsending) @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try Task.checkCancellation()
    let end = ContinuousClock.now + leaseTimeout
    var isHolder = leases.insert(key).inserted
    while !isHolder && ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(10))
      isHolder = leases.insert(key).inserted
    }
    defer { if isHolder { leases.remove(key) } }
    return try await body()
  }

  /// Stores raw bytes, as another program could; for tests.
  func storeRaw(_ bytes: [UInt8], for key: RecordKey) { items[key] = bytes }
}
