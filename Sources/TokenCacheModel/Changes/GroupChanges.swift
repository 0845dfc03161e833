// SPDX-License-Identifier: MIT

import UnifiedCache

/// The changes of a group, whichever app or program makes them: a snapshot first, and then each change.
///
/// ```swift
/// for await change in cache.changes() {
///   switch change {
///   case .snapshot(let snapshot): accountList.show(snapshot.accounts)
///   case .accountAdded(let account): accountList.insert(account)
///   case .accountRemoved(let account): accountList.remove(account)
///   default: continue
///   }
/// }
/// ```
///
/// Apply the changes to the snapshot in order to get the current state. No change is lost or reported twice, even if
/// the store is unavailable meanwhile. Changes in quick succession are combined: an account that is added and removed
/// in between is not reported.
///
/// The sequence never fails and never prompts. A group that can't be read is ``GroupChange/groupLocked`` or
/// ``GroupChange/unavailable``, and the changes continue when it can be read again. The sequence ends when the task is
/// cancelled or the loop ends. Each loop has a watch of its own.
public struct GroupChanges: AsyncSequence, Sendable {
  /// One change.
  public typealias Element = GroupChange
  /// The failure type: the sequence never fails.
  public typealias Failure = Never

  let backend: any TokenCacheBackend
  /// The queries for the records to watch.
  let queries: [RecordQuery]
  /// The closure that finds the accounts to report in the records.
  let accounts: @Sendable ([Record]) async throws -> [AccountFingerprint]
  /// The time for which changes are collected before they are reported.
  let batchingDelay: Duration

  /// The longest time between two reads while the store is available; some changes cause no signal.
  static let longestWait = Duration.seconds(60)
  /// The longest time between two reads while the store is unavailable.
  static let retryInterval = Duration.seconds(2)

  init(
    backend: any TokenCacheBackend, queries: [RecordQuery], batchingDelay: Duration = .milliseconds(50),
    accounts: @escaping @Sendable ([Record]) async throws -> [AccountFingerprint]
  ) {
    self.backend = backend
    self.queries = queries
    self.batchingDelay = batchingDelay
    self.accounts = accounts
  }

  /// Creates an iterator, which starts the watch with the first call of `next`.
  public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

  /// An iterator over the changes.
  public struct Iterator: AsyncIteratorProtocol {
    let changes: GroupChanges
    private var watch: (any GroupWatch)?
    private var tracker = GroupChangeTracker()
    private var pending: ArraySlice<GroupChange> = []

    init(changes: GroupChanges) { self.changes = changes }

    /// Returns the next change; `nil` when the task was cancelled.
    public mutating func next() async -> GroupChange? {
      while pending.isEmpty {
        guard let watch else {
          let watch = await changes.backend.watch()
          self.watch = watch
          _ = await observe(watch)
          return Task.isCancelled ? nil : .snapshot(tracker.snapshot)
        }
        await watch.wait(atMost: tracker.isAvailable ? GroupChanges.longestWait : GroupChanges.retryInterval)
        try? await Task.sleep(for: changes.batchingDelay)
        if Task.isCancelled { return nil }
        pending = await observe(watch)[...]
      }
      return Task.isCancelled ? nil : pending.popFirst()
    }

    private mutating func observe(_ watch: any GroupWatch) async -> [GroupChange] {
      let observation = await watch.observe(changes.queries)
      // A cancelled read observes nothing.
      if Task.isCancelled { return [] }
      guard case .open = observation.state else { return tracker.update(observation.state, nil) }
      do {
        return tracker.update(observation.state, try await changes.accounts(observation.records))
      } catch {
        return Task.isCancelled ? [] : tracker.update(GroupState(error) ?? .unavailable, nil)
      }
    }
  }
}
