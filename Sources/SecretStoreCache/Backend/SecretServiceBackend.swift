// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import Logging
import TokenCacheModel

/// A group's records in the freedesktop Secret Service, one item per record.
///
/// ``SecretStore`` creates it. Reads search the whole service, so they find a record wherever the group is placed. The
/// first write creates the group. No call prompts, and each ends within the store's `timeout`, except for
/// ``withRefreshLease(on:_:)``, which waits for `leaseTimeout` and for its body.
package final class SecretServiceBackend: ForeignCopies, DamagedRecords {
  /// The group that the records belong to.
  package let group: AccessGroup

  let client: SecretServiceClient
  /// The placement of the group if a call creates it.
  let placement: GroupPlacement
  private let timeout: Duration
  private let leaseTimeout: Duration
  let known = Locked(KnownPaths())
  private let recordCache: RecordCache?
  /// The version file that changes when the group is deleted, moved or locked.
  private let version: VersionFile?

  /// Creates the back end of a group.
  ///
  /// - Parameters:
  ///   - placement: The placement of the group if a call creates it.
  ///   - timeout: The time after which a call ends.
  ///   - leaseTimeout: How long to wait for a refresh lease.
  ///   - recordCache: The group's record cache; `nil` where records are not cached.
  init(
    group: AccessGroup, client: SecretServiceClient, placement: GroupPlacement, timeout: Duration,
    leaseTimeout: Duration, recordCache: RecordCache?
  ) {
    self.recordCache = recordCache
    self.version = try? VersionFile(of: group)
    self.group = group
    self.client = client
    self.placement = placement
    self.timeout = timeout
    self.leaseTimeout = leaseTimeout
  }

  /// Reads the records that match a query: two round trips, and one more for each twenty records.
  package func records(matching query: RecordQuery) async throws -> [Record] {
    try await records(matchingAny: [query])
  }

  /// Reads the records that match any of several queries: one search for each query, and one round trip for each twenty
  /// secrets.
  ///
  /// There may be many records, so they are decrypted and parsed off any actor.
  @concurrent public func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    if queries.isEmpty { return [] }
    return try await guarded("reads records", queries, count: \.count) {
      try await self.reopening { try await self.found(by: queries) }
    }
  }

  /// Returns the records that match any of several queries.
  ///
  /// - Parameter opens: Whether to unlock locked collections, without a prompt.
  @concurrent func found(by queries: [RecordQuery], opening opens: Bool = true) async throws -> [Record] {
    let searches = queries.map { ItemAttributes.matching($0, in: group) }
    return try await stored(searches, opening: opens).items.values.compactMap { item in
      queries.contains { $0.matches(item.record.key) } ? item.record : nil
    }
  }

  /// Returns the records whose copies are all in collections that are not the group's.
  ///
  /// It takes one round trip where every item with the group's attributes is in a collection that is known to be the
  /// group's.
  package func recordsOfOthers() async throws -> Set<RecordKey> {
    try await guarded("looks for records of others", "") {
      try await self.reopening {
        let found = try await client.search(ItemAttributes.owner(group)).unlocked
        let standings = try await GroupProof(client: client, group: group)
          .standings(of: Set(found.map(\.parent)))
        let others = Set(found.map(\.parent)).filter { standings[$0] == .unproven }
        if others.isEmpty { return [] }
        let kinds: [RecordKind] = [.credentials, .family, .client, .groupData, .legacy]
        let searches = kinds.map { ItemAttributes.matching(.all($0), in: group) }
        return Set(try await stored(searches).items.filter { others.contains($0.value.path.parent) }.keys)
      }
    }
  }

  /// Reads one record.
  ///
  /// It takes two round trips the first time and one when the item's path is known. It takes none when the record is in
  /// the record cache and nobody can have changed it; see ``SecretStoreOptions/cachesRecords``.
  package func record(for key: RecordKey) async throws -> Record? {
    if let record = recordCache?.lookUp(key) {
      try Task.checkCancellation()
      return record
    }
    return try await guarded("reads a record", key.kind.rawValue, count: { $0 == nil ? 0 : 1 }) {
      guard let recordCache = self.recordCache else { return try await self.strictRecord(key) }
      return try await recordCache.readThrough(key) { try await self.strictRecord(key) }
    }
  }

  /// Returns one record from the record cache; `nil` when it is not there, and always without
  /// ``SecretStoreOptions/cachesRecords``.
  package func cachedRecord(for key: RecordKey) -> Record? { recordCache?.lookUp(key) ?? nil }

  private func strictRecord(_ key: RecordKey) async throws -> Record? {
    try await reopening { try await current(key) }.item?.record
  }

  /// Changes one record under its write lock, with one write of the whole document.
  ///
  /// Where not every app that writes the group shares the lock (``SecretStoreOptions/sharesLocks``), the record is
  /// compared before the write and verified after it.
  package func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await guarded("changes a record", key.kind.rawValue) {
      try await self.writeLock(key).run {
        guard client.locks.isShared else { return try await self.updateUnshared(key, change) }
        return try await self.updateShared(key, change)
      }
    }
  }

  /// Removes one record, whatever its content.
  package func remove(_ key: RecordKey) async throws {
    try await guarded("removes a record", key.kind.rawValue) {
      try await self.writeLock(key).run {
        try await self.client.locks.isShared ? self.removeShared(key) : self.removeUnshared(key)
      }
    }
  }

  /// Sets aside the items of a record that can't be read, where the group may have records.
  package func setAside(_ key: RecordKey, since time: Int) async throws -> Bool {
    try await guarded("sets aside a record", key.kind.rawValue) {
      try await self.reopening {
        try await DamagedItems(client: client, group: group).setAside(key, since: time)
      }
    }
  }

  package func forgetPlaces() {
    client.writableCollections.withLock { proofs in
      for seen in proofs.keys where seen.group == group { proofs[seen]?.expire() }
    }
  }

  /// Deletes the copies of a record besides the one that counts.
  func removeOlderCopies(of key: RecordKey) async throws {
    try await guarded("removes copies of a record", key.kind.rawValue) {
      try await self.writeLock(key).run { try await self.reopening { try await deleteOlderCopies(of: key) } }
    }
  }

  /// Changes the document of an item whose attributes name another record than the document does, with the record's
  /// lock.
  func change(
    _ item: ObjectPath, of key: RecordKey, _ change: @Sendable (inout CacheDocument) -> Void
  ) async throws {
    try await guarded("changes an item", key.kind.rawValue) {
      try await self.writeLock(key).run {
        try await self.reopening { try await self.rewrite(item, of: key, change) }
      }
    }
  }

  /// Runs `body` while it holds the refresh lease of a key.
  ///
  /// No other user of this library that shares locks holds the same lease meanwhile. After the store's `leaseTimeout`
  /// the call logs a warning and runs `body` without the lease.
  ///
  /// - Throws: `storageFailed` when a lock file of the save that follows can't be made; the error of making the group,
  ///   where the record is only in a keyring that is not the group's; `groupLocked` where nothing shows whose that is; and
  ///   what `body` throws.
  package func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try Task.checkCancellation()
    try FileLock.makeFiles(ofRefresh: key, in: group)
    try await requirePlace(of: key)
    let hold = try await lock(.refresh, key).acquire(timeout: leaseTimeout)
    defer { withExtendedLifetime(hold) {} }
    if hold == nil {
      client.log(
        .warning, "goes on without the refresh lease, which another app has held for too long",
        ["seconds": "\(leaseTimeout.components.seconds)"])
    }
    return try await body()
  }

  /// Makes the group if a save of a stored record would have to make it.
  ///
  /// The save that follows looks again whose the keyring is, so that an earlier look doesn't count here either.
  package func requirePlace(of key: RecordKey) async throws {
    forgetPlaces()
    try await guarded("looks for the place of a save", key.kind.rawValue) {
      let paths = generation(on: try await client.connection())
      var path = known.withLock { $0.path(of: key, in: paths) }
      // A lease of the agent's has a connection of its own, over which nothing was read.
      if path == nil { path = try await current(key).item?.path }
      guard let path else { return }
      let proof = GroupProof(client: client, group: group)
      if try await proof.standings(of: [path.parent])[path.parent] == .proven { return }
      _ = try await GroupCreator(client: client, group: group, policy: placement).findOrMake()
    }
  }

  /// Runs a write between two versions of its record, and notifies watchers.
  ///
  /// A write that fails may have been done. It leaves the version unsettled until the next writer has read the record.
  func signalingChange<Output>(
    _ version: VersionFile, _ write: () async throws -> Output
  ) async throws -> Output {
    try Task.checkCancellation()
    try version.unsettleForReaders()
    return try await client.signalingChange(of: group) {
      let output = try await write()
      try? version.settle()
      return output
    }
  }

  /// Returns the cache generation of paths that are searched for now.
  func generation(on handle: ServiceHandle) -> KnownPaths.CacheGeneration {
    KnownPaths.CacheGeneration(daemon: handle.daemon, version: version?.read())
  }

  // MARK: Locks and deadlines

  private func writeLock(_ key: RecordKey) -> FileLock { lock(.write, key) }

  private func lock(_ purpose: FileLock.Purpose, _ key: RecordKey) -> FileLock {
    FileLock(purpose, of: key, in: group)
  }

  /// Runs a public call with its deadline and a line in the log, and converts D-Bus errors to `SecretStoreError`.
  func guarded<Outcome>(
    _ what: String, _ queries: [RecordQuery], count: (Outcome) -> Int?, _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    let kinds = Set(queries.map(\.kind.rawValue)).sorted().joined(separator: " ")
    return try await guarded(what, kinds, count: count, body)
  }

  private func guarded<Outcome>(
    _ what: String, _ kind: String, count: (Outcome) -> Int? = { _ in nil },
    _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    try await client.logging(what, ["group": group.qualifiedName, "kind": kind], count: count) {
      try await Deadline.run(within: timeout) {
        do {
          return try await body()
        } catch let error as BusError {
          throw error.storeError
        }
      }
    }
  }

  /// Runs a step, and runs it again when the group was locked meanwhile and unlocks without a prompt.
  ///
  /// It makes five attempts at most.
  func reopening<Outcome>(_ step: () async throws -> Outcome) async throws -> Outcome {
    var attempts = 5
    while true {
      do {
        return try await step()
      } catch {
        attempts -= 1
        guard attempts > 0, error.meansLocked, try await isOpenable() else { throw error }
        client.log(.debug, "was locked meanwhile and tries again", ["group": group.qualifiedName])
      }
    }
  }

  /// Returns whether the group exists and unlocks without a prompt, now or at the next attempt: another process can
  /// lock it while it is being unlocked.
  private func isOpenable() async throws -> Bool {
    do {
      return try await GroupFinder(client: client, group: group).claims().isGroup
    } catch {
      if error.meansLocked { return true }
      throw error
    }
  }
}
