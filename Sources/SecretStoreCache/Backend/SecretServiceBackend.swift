// SPDX-License-Identifier: MIT

public import KeychainGroupModel
import Logging
public import TokenCacheModel

/// A group's records in the freedesktop Secret Service, one item for each.
///
/// Made by ``SecretStore``. Reads search the whole service, so that a record is found wherever the group is
/// placed; the group is made with the first write. Every call ends within the store's `timeout` and none ever
/// prompts.
public final class SecretServiceBackend: TokenCacheBackend {
  /// The group whose records these are.
  public let group: AccessGroup

  let client: SecretServiceClient
  let options: SecretStoreOptions
  let known = Locked(KnownPaths())
  private let mirror: Mirror?
  /// Says that the group was deleted, moved or locked.
  private let version: VersionFile?

  init(group: AccessGroup, client: SecretServiceClient, options: SecretStoreOptions, mirror: Mirror?) {
    self.mirror = mirror
    self.version = try? VersionFile(of: group)
    self.group = group
    self.client = client
    self.options = options
  }

  /// Reads the records that a query asks for, in two round trips, and one more for each forty.
  public func records(matching query: RecordQuery) async throws -> [Record] {
    try await records(matchingAny: [query])
  }

  /// Reads the records that any of several queries asks for: one search for each, and the secrets of forty items in one round trip.
  ///
  /// They may be many, and so are decrypted and read on no actor's thread.
  @concurrent public func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    if queries.isEmpty { return [] }
    return try await guarded("reads records", queries, count: \.count) {
      try await self.reopening { try await self.found(by: queries) }
    }
  }

  /// The records that any of several queries asks for.
  ///
  /// - Parameter opens: Whether what is locked is opened, without a dialog.
  @concurrent func found(by queries: [RecordQuery], opening opens: Bool = true) async throws -> [Record] {
    let searches = queries.map { ItemAttributes.matching($0, in: group) }
    return try await stored(searches, opening: opens).items.values.compactMap { item in
      queries.contains { $0.matches(item.record.key) } ? item.record : nil
    }
  }

  /// Reads one record: in two round trips the first time, in one when its item is known, and in none when it is kept in
  /// memory and nobody can have changed it; see ``SecretStoreOptions/keepsMirror``.
  public func record(for key: RecordKey) async throws -> Record? {
    if let record = mirror?.lookUp(key) {
      try Task.checkCancellation()
      return record
    }
    return try await guarded("reads a record", key.kind.rawValue, count: { $0 == nil ? 0 : 1 }) {
      guard let mirror = self.mirror else { return try await self.strictRecord(key) }
      return try await mirror.reading(key) { try await self.strictRecord(key) }
    }
  }

  /// One record that is kept in memory; `nil` without ``SecretStoreOptions/keepsMirror``.
  public func keptRecord(for key: RecordKey) -> Record? { mirror?.lookUp(key) ?? nil }

  private func strictRecord(_ key: RecordKey) async throws -> Record? {
    try await reopening { try await current(key) }.item?.record
  }

  /// Changes one record under its write lock: one write, of the whole document.
  ///
  /// Where the lock is not shared with other apps (``SecretStoreOptions/sharesLocks``) it is compared before it is written,
  /// and verified after it.
  public func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await guarded("changes a record", key.kind.rawValue) {
      try await self.writeLock(key).run {
        guard client.locks.isShared else { return try await self.updateUnshared(key, change) }
        return try await self.updateShared(key, change)
      }
    }
  }

  /// Removes one record, whatever it holds.
  public func remove(_ key: RecordKey) async throws {
    try await guarded("removes a record", key.kind.rawValue) {
      try await self.writeLock(key).run {
        try await self.client.locks.isShared ? self.removeShared(key) : self.removeUnshared(key)
      }
    }
  }

  /// Runs `body` while no other user of this library that shares locks runs one for the same key, or after the store's
  /// `leasePatience`.
  public func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    let hold = try await lock("refresh", key).acquire(patience: options.leasePatience)
    defer { withExtendedLifetime(hold) {} }
    if hold == nil {
      client.log(
        .warning, "goes on without the refresh lease, which another app has held for too long",
        ["seconds": "\(options.leasePatience.components.seconds)"])
    }
    return try await body()
  }

  /// Begins to watch for changes of the group.
  ///
  /// It opens the group when it begins and after the daemon was restarted, as any call does, and otherwise leaves it
  /// locked. A program that is no user of this library and changes an item's content is noticed within a minute, since
  /// the Secret Service tells nobody of that; so is one whose sandbox keeps its signals.
  public func watch() async -> any GroupWatch {
    SecretServiceWatch(self)
  }

  /// Runs a write between two versions of its record, and tells those who watch.
  ///
  /// A write that fails may have been done, and leaves the version unsettled until the next writer has read the record.
  func telling(_ version: VersionFile, _ write: () async throws -> Void) async throws {
    try Task.checkCancellation()
    try version.unsettle()
    try await client.telling(changeOf: group) {
      try await write()
      try? version.settle()
    }
  }

  /// What paths are good for that are looked for now.
  func era(on handle: ServiceHandle) -> KnownPaths.Era {
    KnownPaths.Era(daemon: handle.daemon, version: version?.read())
  }

  // MARK: Locks and deadlines

  private func writeLock(_ key: RecordKey) -> FileLock { lock("write", key) }

  private func lock(_ purpose: String, _ key: RecordKey) -> FileLock {
    FileLock(purpose, of: key, in: group)
  }

  /// Runs a public call: with its deadline, with D-Bus errors made errors of the library, and a line in the log.
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
    try await client.logging(what, ["group": group.description, "kind": kind], count: count) {
      try await Deadline.run(within: options.timeout) {
        do {
          return try await body()
        } catch let error as BusError {
          throw error.storeError
        }
      }
    }
  }

  /// Runs a step, and again when somebody locked the group in the middle of it and it opens without a word.
  func reopening<Outcome>(_ step: () async throws -> Outcome) async throws -> Outcome {
    var attempts = 5
    while true {
      do {
        return try await step()
      } catch {
        attempts -= 1
        guard attempts > 0, error.meansLocked, try await isOpenable() else { throw error }
        client.log(.debug, "was locked meanwhile and tries again", ["group": group.description])
      }
    }
  }

  /// Whether the group is there and opens without a word, or may the next time: it can be locked while it is opened.
  private func isOpenable() async throws -> Bool {
    do {
      return try await GroupFinder(client: client, group: group).find() != nil
    } catch {
      if error.meansLocked { return true }
      throw error
    }
  }
}
