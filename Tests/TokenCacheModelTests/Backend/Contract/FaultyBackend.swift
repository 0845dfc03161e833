// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

@testable import UnifiedCache

/// A small back end over a store that its instances share: sound, or with one fault.
///
/// It does not signal changes, so that it is polled.
final class FaultyBackend: TokenCacheBackend {
  private let store: FaultyStore
  private let fault: BackendFault?
  private let leaseTimeout: Duration
  private let known = Locked<[RecordKey: Record?]>([:])

  init(_ store: FaultyStore, fault: BackendFault?, leaseTimeout: Duration) {
    self.store = fault == .writesForItselfAlone ? FaultyStore() : store
    self.fault = fault
    self.leaseTimeout = leaseTimeout
  }

  func records(matching query: RecordQuery) async throws -> [Record] {
    try checkCancellation()
    return try await list { [fault] key in
      fault == .ignoresClientInQueries ? key.kind == query.kind : query.matches(key)
    }
  }

  func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    if fault != .listsSeveralToCancelled { try checkCancellation() }
    if queries.isEmpty { return fault == .findsAllWithoutQueries ? try await list { _ in true } : [] }
    if fault == .listsOncePerQuery {
      var records: [Record] = []
      for query in queries { records += try await list(query.matches) }
      return records
    }
    return try await list { key in queries.contains { $0.matches(key) } }
  }

  private func list(_ isWanted: @Sendable (RecordKey) -> Bool) async throws -> [Record] {
    var records: [Record] = []
    for (key, bytes) in try await items() {
      guard isWanted(key), let record = record(key, bytes) else { continue }
      if case .failure(let error) = record.content {
        if fault == .hidesUnreadable { continue }
        if fault == .failsToListUnreadable { throw error }
      }
      records.append(record)
    }
    return fault == .listsOneRecordOnly ? Array(records.prefix(1)) : records
  }

  func record(for key: RecordKey) async throws -> Record? {
    try checkCancellation()
    if fault == .readsUnderLease { try await waitForLease(key) }
    if fault == .readsOnce, let known = known.withLock({ $0[key] }) { return known }
    let read = try await read(key)
    known.withLock { $0[key] = read }
    return read
  }

  func cachedRecord(for key: RecordKey) -> Record? {
    fault == .keepsInMemoryWhatOthersReplace ? known.withLock { $0[key] ?? nil } : nil
  }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try checkCancellation()
    return try await locked(writeLock(key)) {
      var stored = try? await read(key)?.document()
      if fault != .overwritesUnreadable { stored = try await read(key)?.document() }
      if [.writesWithoutLock, .hasOwnWriteLock, .removesWithoutLock].contains(fault) {
        try await Task.sleep(for: .milliseconds(5))
      }
      do {
        if fault == .writesTooMuch {
          let outcome = try change(&stored)
          stored?.metadata.record = key
          stored?.metadata.revision += 1
          if let stored { await write(stored, key) }
          return outcome
        }
        let (outcome, action) = try RecordChange.apply(change, to: stored, key: key)
        switch action {
        case .nothing: if fault == .writesUnchanged { try await rewrite(stored, key) }
        case .write(let document): await write(document, key)
        case .remove: await store.put(nil, for: key)
        }
        return outcome
      } catch {
        if fault == .removesAfterFailedChange { await store.put(nil, for: key) }
        throw fault == .hidesErrorOfChange ? SecretStoreError(.storageFailed, "no") : error
      }
    }
  }

  func remove(_ key: RecordKey) async throws {
    try checkCancellation()
    if fault == .failsToRemoveNothing, await store.items[key] == nil {
      throw SecretStoreError(.storageFailed, "There is no record.")
    }
    if fault == .failsToRemoveUnreadable { _ = try await read(key)?.document() }
    if fault == .removesUnderLease { try await waitForLease(key) }
    if fault == .removesWithoutLock { return await removeNow(key) }
    try await locked(writeLock(key)) { await removeNow(key) }
  }

  private func removeNow(_ key: RecordKey) async {
    for other in await store.items.keys
    where other == place(key) || fault == .removesOtherRecords && other.account == key.account {
      await store.put(nil, for: other)
    }
  }

  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    if fault != .leasesToCancelled { try checkCancellation() }
    if fault == .grantsEveryLease { return try await body() }
    if fault == .hasOneLeaseInEachTask, Self.isHolder {
      throw SecretStoreError(.lockTimedOut, "The task has a lease.")
    }
    let limit = fault == .waitsForLeaseForever ? .seconds(1_000_000) : leaseTimeout
    let isHolder = try await acquire(lease(key), within: limit)
    if !isHolder && fault == .runsNothingAfterLeaseTimeout {
      throw SecretStoreError(.lockTimedOut, "Another task held the lease until the timeout.")
    }
    do {
      let outcome = try await Self.$isHolder.withValue(true) { try await body() }
      if isHolder || fault == .endsLeaseOfAnother { await store.release(lease(key)) }
      return outcome
    } catch {
      if isHolder && fault != .keepsLeaseAfterError { await store.release(lease(key)) }
      throw error
    }
  }

  func watch() async -> any GroupWatch {
    switch fault {
    case .watchesNothing: BlindWatch()
    case .watchesAfterCancellation: EndlessWatch(inner: PollingWatch(backend: self), store: store)
    default: PollingWatch(backend: self)
    }
  }

  private struct EndlessWatch: GroupWatch {
    let inner: PollingWatch
    let store: FaultyStore
    let known = Locked<[RecordKey: [UInt8]]>([:])

    func wait(atMost limit: Duration) async {
      // A task of its own is not cancelled.
      await Task.detached {
        for _ in 0..<500 {
          let items = await store.items
          let hasChanged = known.withLock { known in
            defer { known = items }
            return known != items
          }
          if hasChanged { return }
          try? await Task.sleep(for: .milliseconds(10))
        }
      }.value
    }

    func observe(_ queries: [RecordQuery]) async -> GroupObservation { await inner.observe(queries) }
  }

  private struct BlindWatch: GroupWatch {
    func wait(atMost limit: Duration) async { try? await Task.sleep(for: .milliseconds(10)) }
    func observe(_ queries: [RecordQuery]) async -> GroupObservation { .absent }
  }

  // MARK: Records

  private func checkCancellation() throws {
    if fault != .ignoresCancellation { try Task.checkCancellation() }
  }

  private func read(_ key: RecordKey) async throws -> Record? {
    let bytes = try await items()[place(key)]
    if bytes == nil, fault == .readsEmptyDocumentForNone {
      return Record(key: key, document: CacheDocument())
    }
    return bytes.flatMap { record(key, $0) }
  }

  private func items() async throws -> [RecordKey: [UInt8]] {
    guard await store.hasFailed else { return await store.items }
    if fault == .readsNothingFromFailedStore { return [:] }
    throw SecretStoreError(.storageFailed, "The store can't be read.")
  }

  private func record(_ key: RecordKey, _ bytes: [UInt8]) -> Record? {
    bytes.isEmpty && fault != .readsEmptyBytesAsUnreadable ? nil : Record(key: key, bytes: bytes)
  }

  private func place(_ key: RecordKey) -> RecordKey {
    switch fault {
    case .storesByAccountAndClient:
      RecordKey(kind: key.kind, account: key.account, clientID: key.clientID)
    case .ignoresCaseOfKeys:
      RecordKey(
        kind: key.kind, account: key.account, environment: key.environment.lowercased(),
        clientID: key.clientID.lowercased(), familyID: key.familyID, key: key.key)
    default: key
    }
  }

  private func write(_ document: CacheDocument, _ key: RecordKey) async {
    var bytes = document.serialized()
    if fault == .expandsBraces {
      bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("{TITLE}", with: "title").utf8)
    }
    if fault == .removesBeforeItWrites {
      await store.put(nil, for: key)
      try? await Task.sleep(for: .milliseconds(5))
    }
    if fault == .cutsAt64Kilobytes { bytes = Array(bytes.prefix(1 << 16)) }
    if fault == .writesWholeStoreUnderLockOfKey {
      var items = await store.items
      try? await Task.sleep(for: .milliseconds(5))
      items[key] = bytes
      return await store.replaceAll(items)
    }
    await store.put(bytes, for: place(key))
  }

  private func rewrite(_ document: CacheDocument?, _ key: RecordKey) async throws {
    guard var document else { return }
    document.metadata.revision += 1
    await write(document, key)
  }

  // MARK: Locks

  /// Whether the task holds a lease.
  @TaskLocal private static var isHolder = false

  private func waitForLease(_ key: RecordKey) async throws {
    if try await acquire(lease(key), within: leaseTimeout) { await store.release(lease(key)) }
  }

  private func writeLock(_ key: RecordKey) -> String {
    fault == .takesWriteLockAsLease ? lease(key) : "write \(key)\(owner)"
  }

  private func lease(_ key: RecordKey) -> String {
    fault == .hasOneLeaseForAllKeys ? "lease" : "lease \(key)\(owner)"
  }

  /// What makes the locks of this instance its own, if they hold within one instance only.
  private var owner: String {
    fault == .hasOwnWriteLock || fault == .hasOwnLeases ? " of \(ObjectIdentifier(self))" : ""
  }

  /// Takes a lease that the store ends, as the kernel does when a process dies.
  func dieWithLease(on key: RecordKey) async throws {
    _ = try await acquire(lease(key), within: leaseTimeout)
    if fault != .keepsLeaseOfTheDead { await store.release(lease(key)) }
  }

  private func locked<Outcome>(
    _ lock: String, _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    if fault == .writesWithoutLock { return try await body() }
    // Long, because the unit tests keep every thread busy.
    guard try await acquire(lock, within: .seconds(60)) else {
      throw SecretStoreError(.lockTimedOut, "Another task held the write lock until the deadline.")
    }
    do {
      let outcome = try await body()
      await store.release(lock)
      return outcome
    } catch {
      await store.release(lock)
      throw error
    }
  }

  private func acquire(_ lock: String, within limit: Duration) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while await !store.take(lock) {
      if ContinuousClock.now >= end { return false }
      do {
        try await Task.sleep(for: .milliseconds(1))
      } catch {
        if fault != .waitsWhenCancelled { throw error }
        await Task.yield()
      }
    }
    return true
  }
}
