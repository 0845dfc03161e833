// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Where a group's records are kept.
///
/// An identity library is handed one of these: `SecretServiceBackend` on a desktop, ``InMemoryBackend`` in its
/// own tests. A back end of your own proves itself with the cases of the `TokenCacheContract` product.
///
/// Every call throws `CancellationError` when the task is cancelled before anything was written, and a
/// `SecretStoreError` otherwise: `groupLocked`, `groupUnrecoverable`, `serviceUnavailable`, `timedOut`,
/// `storageFailed` and so on. None of them prompts.
public protocol TokenCacheBackend: Sendable {
  /// Reads the records that a query asks for, in no particular order.
  ///
  /// - Returns: The records; none for a group that was never written. Never none because the group could not be
  ///   read.
  func records(matching query: RecordQuery) async throws -> [Record]

  /// Reads the records that any of several queries asks for, each once, in no particular order.
  ///
  /// Back ends whose round trips are dear read them together.
  func records(matchingAny queries: [RecordQuery]) async throws -> [Record]

  /// Reads one record.
  ///
  /// - Returns: The record, or `nil` when there is none.
  func record(for key: RecordKey) async throws -> Record?

  /// One record that is kept in memory, if it is certain that nobody has changed it since it was read.
  ///
  /// It answers at once and reads nothing. It is the same value each time: what a silent call has chosen from it is
  /// remembered with it. Without one of its own, a back end keeps nothing.
  func keptRecord(for key: RecordKey) -> Record?

  /// Changes one record under its write lock: reads what is stored now, lets `change` make the new content, and
  /// writes that.
  ///
  /// `change` is called again when what it was made from has gone or was written over by the time that it is written; the
  /// call counts whose document is stored. When it leaves the document as it was, nothing is written; when it leaves
  /// `nil`, the record is removed; when it throws, the record stays as it was. Once the write has been sent, it is waited
  /// for even if the task is cancelled.
  ///
  /// - Throws: What `change` throws; `corruptItem` when what is stored can't be read, and then nothing is
  ///   written; `leaseTimedOut` when others held the write lock until the deadline, or, where they share none, wrote the
  ///   record over until then.
  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome

  /// Removes one record, whatever it holds. Removing one that is not there is no error.
  func remove(_ key: RecordKey) async throws

  /// Runs `body` while no other user of this library, in this process or another that shares locks with it, runs one for
  /// the same key.
  ///
  /// It is held across the redemption of a refresh token. When another holds it longer than the back end's
  /// stated patience, `body` runs all the same: a frozen app must not keep the others signed out.
  func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome

  /// Begins to watch for changes of the group, whoever makes them; see ``GroupChanges``.
  ///
  /// Without one of its own, a back end is looked at every five seconds.
  func watch() async -> any GroupWatch
}

extension TokenCacheBackend {
  /// Reads the records that any of several queries asks for, one query after the other.
  public func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    var records: [RecordKey: Record] = [:]
    for query in queries {
      for record in try await self.records(matching: query) { records[record.key] = record }
    }
    return Array(records.values)
  }

  /// Keeps nothing.
  public func keptRecord(for key: RecordKey) -> Record? { nil }

  /// Looks again every five seconds.
  public func watch() async -> any GroupWatch { PollingWatch(backend: self) }
}
