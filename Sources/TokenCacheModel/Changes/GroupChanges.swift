// SPDX-License-Identifier: MIT

/// What changes in a group, whichever app or program changes it: a snapshot first, and then each change.
///
/// ```swift
/// for await change in cache.changes() {
///   switch change {
///   case .snapshot(let snapshot): list.show(snapshot.accounts)
///   case .accountAdded(let account): list.insert(account)
///   case .accountRemoved(let account): list.remove(account)
///   default: continue
///   }
/// }
/// ```
///
/// Applied to the snapshot in their order, the changes give how the group stands now: none is lost and none is told
/// twice, also when the store goes away and comes back meanwhile. What happens in quick succession is told together:
/// of an account that came and went again in between nothing is said.
///
/// It never fails. A group that can't be read is ``GroupChange/groupLocked`` or ``GroupChange/unavailable``, and the
/// changes go on when it can. It never prompts. It ends when the task is cancelled or the loop is left. Each loop
/// watches for itself.
public struct GroupChanges: AsyncSequence, Sendable {
  /// One change.
  public typealias Element = GroupChange
  /// It never fails.
  public typealias Failure = Never

  let backend: any TokenCacheBackend
  /// What is asked for of the group.
  let queries: [RecordQuery]
  /// Finds the accounts that are told of among the records.
  let accounts: @Sendable ([Record]) async throws -> [WatchedAccount]
  /// How long changes are gathered before they are told.
  let gathering: Duration

  /// How long is waited at most before looking again: some changes nobody tells of.
  static let patience = Duration.seconds(60)
  /// The same while the store does not answer.
  static let impatience = Duration.seconds(2)

  init(
    backend: any TokenCacheBackend, queries: [RecordQuery], gathering: Duration = .milliseconds(50),
    accounts: @escaping @Sendable ([Record]) async throws -> [WatchedAccount]
  ) {
    self.backend = backend
    self.queries = queries
    self.gathering = gathering
    self.accounts = accounts
  }

  /// Begins to watch with the first call of `next`.
  public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

  /// Hands out one change after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let changes: GroupChanges
    private var watch: (any GroupWatch)?
    private var picture = GroupPicture()
    private var pending: ArraySlice<GroupChange> = []

    init(changes: GroupChanges) { self.changes = changes }

    /// The next change; `nil` when the task was cancelled.
    public mutating func next() async -> GroupChange? {
      while pending.isEmpty {
        guard let watch else {
          let watch = await changes.backend.watch()
          self.watch = watch
          _ = await look(watch)
          return Task.isCancelled ? nil : .snapshot(picture.snapshot)
        }
        await watch.wait(atMost: picture.isAvailable ? GroupChanges.patience : GroupChanges.impatience)
        try? await Task.sleep(for: changes.gathering)
        if Task.isCancelled { return nil }
        pending = await look(watch)[...]
      }
      return Task.isCancelled ? nil : pending.popFirst()
    }

    private mutating func look(_ watch: any GroupWatch) async -> [GroupChange] {
      let view = await watch.look(for: changes.queries)
      // A cancelled look saw nothing.
      if Task.isCancelled { return [] }
      guard case .open = view.state else { return picture.update(view.state, nil) }
      do {
        return picture.update(view.state, try await changes.accounts(view.records))
      } catch {
        return Task.isCancelled ? [] : picture.update(GroupState(error) ?? .unavailable, nil)
      }
    }
  }
}
