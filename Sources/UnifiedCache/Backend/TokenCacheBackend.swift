// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The storage of a group's records.
///
/// Give an identity library one of these: what `SecretStore` opens on a desktop, ``InMemoryBackend`` in its tests. Test
/// a back end of your own with the cases of the `TokenCacheContract` product.
///
/// Every call throws `CancellationError` when the task is cancelled before anything was written. Otherwise it throws a
/// `SecretStoreError`: `groupLocked`, `groupUnrecoverable`, `serviceUnavailable`, `timedOut`, `storageFailed` and so
/// on. No call prompts.
///
/// ## Rules
///
/// The cases of the `TokenCacheContract` product test a back end, and a violation has the name of the broken rule. An
/// *instance* is a back end over the same records, in this process or in another one.
///
/// Records:
/// - **absence**: A record that was never written is `nil`, and a group that was never written has no records.
/// - **failed-reads**: A group that can't be read is an error, and never an absent record: a change would start from
///   `nil` and replace the tokens.
/// - **empty-content**: A record without bytes is absent, and the next change starts from `nil`. A store can leave such
///   a record behind when it fails in the middle of a write.
/// - **own-keys**: Different keys have different records, also those that differ by case only, and equal keys have the
///   same one.
/// - **queries**: A query finds every record that it matches, and no other. Several queries find each record once, and
///   no queries find no records.
/// - **verbatim**: The bytes of a document come back as they were written, also of one with almost
///   ``CacheDocument/maximumBytes``.
/// - **unreadable-records**: A record that ``Record/init(key:bytes:)`` can't read is listed with its error and hides no
///   other record. ``update(_:_:)`` throws `corruptItem` and does not overwrite it; ``remove(_:)`` removes it.
///
/// Reads and writes:
/// - **sharing**: What one instance has acknowledged is there for each instance, and after a restart of the store.
/// - **freshness**: A read returns what was acknowledged last, whichever instance has written it. A record that
///   ``cachedRecord(for:)`` returns is as new.
/// - **whole-reads**: A read during a write returns the record as it is before or after the write.
/// - **unchanged**: A change that leaves the document as it was writes nothing.
/// - **failed-change**: A change that throws leaves the record as it was, and the caller gets its error.
/// - **size-limit**: A change to a document larger than ``CacheDocument/maximumBytes`` throws `invalidArgument` and
///   leaves the record as it was.
/// - **removal**: A removal takes away one record. To remove an absent record is no error.
/// - **write-lock**: Changes and removals of one record run one after the other, in all instances, so that none is lost
///   or undone. Neither is one lost beside changes of other records.
/// - **cancellation**: A call in a cancelled task throws `CancellationError` and writes nothing.
///
/// Refresh leases:
/// - **lease-exclusive**: One holder of a key's lease runs at a time, in all instances.
/// - **lease-per-key**: Leases of different keys don't wait for each other, side by side or one inside the other.
/// - **lease-apart**: A lease is not the write lock. Its holder, and everybody else, reads, changes and removes records
///   meanwhile, also the record of the lease's key.
/// - **lease-limit**: The wait for a lease ends after a time limit. Then the body runs without the lease: an app that
///   hangs must not keep the others from their tokens.
/// - **lease-end**: A lease ends with its body, whether that returns, throws or is cancelled. A call in a cancelled
///   task, or one cancelled while it waits, throws `CancellationError` and does not run its body. A body that runs
///   without the lease doesn't end the lease of another.
/// - **lease-death**: A lease ends when its holder's process dies, however it dies. Nobody waits for the dead until the
///   time limit.
///
/// Changes:
/// - **watch**: A watch notices every change of every instance, and its wait ends when its task is cancelled.
///
/// A write lock that others hold until the deadline is `lockTimedOut`. No case tests that: a change is synchronous, so
/// that only another process can hold the lock for long.
public protocol TokenCacheBackend: Sendable {
  /// Reads the records that match a query, in no particular order.
  nonisolated(nonsending) func records(matching query: RecordQuery) async throws -> [Record]

  /// Reads the records that match any of several queries, each record once, in no particular order.
  ///
  /// A back end with expensive round trips reads them together.
  nonisolated(nonsending) func records(matchingAny queries: [RecordQuery]) async throws -> [Record]

  /// Reads one record.
  ///
  /// - Returns: The record, or `nil` when there is none.
  nonisolated(nonsending) func record(for key: RecordKey) async throws -> Record?

  /// Returns the copy of a record in memory, if it is certain that nobody has changed the record since it was read.
  ///
  /// The call is synchronous and reads nothing from the store. It returns the same value each time, because the results
  /// of silent calls are stored with it. The default implementation keeps no records and returns `nil`.
  nonisolated func cachedRecord(for key: RecordKey) -> Record?

  /// Changes one record under its write lock: reads the stored document, passes it to `change`, and writes the result.
  ///
  /// ``RecordChange`` says what to write. If `change` sets the document to `nil`, the record is removed.
  ///
  /// The back end calls `change` again when the record was removed or overwritten between its read and its write. The
  /// outcome is that of the call whose document is stored. Once the write has been sent, the back end waits for its
  /// completion even if the task is cancelled.
  ///
  /// - Throws: What `change` throws; `corruptItem` when the stored record can't be read, and nothing is written;
  ///   `lockTimedOut` when others held the write lock until the deadline, or when others without a shared lock kept
  ///   overwriting the record until the deadline.
  nonisolated(nonsending) func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome

  /// Removes one record, whatever it holds.
  nonisolated(nonsending) func remove(_ key: RecordKey) async throws

  /// Runs `body` while no other user of this library runs one for the same key, in this process or in another that
  /// shares locks with it.
  ///
  /// The caller holds the lease while it redeems a refresh token. When another holds the lease for longer than the back
  /// end's timeout, `body` runs without it.
  nonisolated(nonsending) func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: nonisolated(nonsending) @Sendable () async throws -> Outcome
  ) async throws -> Outcome

  /// Starts to watch for changes of the group by any program; see ``GroupChanges``.
  ///
  /// The default implementation reads the group every five seconds.
  nonisolated(nonsending) func watch() async -> any GroupWatch
}

extension TokenCacheBackend {
  /// Reads the records that match any of several queries, one query after the other.
  public nonisolated(nonsending) func records(matchingAny queries: [RecordQuery]) async throws -> [Record] {
    var records: [RecordKey: Record] = [:]
    for query in queries {
      for record in try await self.records(matching: query) { records[record.key] = record }
    }
    return Array(records.values)
  }

  /// Returns `nil`: no record is kept in memory.
  public nonisolated func cachedRecord(for key: RecordKey) -> Record? { nil }

  /// Returns a watch that reads the group every five seconds.
  public nonisolated(nonsending) func watch() async -> any GroupWatch { PollingWatch(backend: self) }
}
