// SPDX-License-Identifier: MIT

/// What tells that a group may have changed; made by a back end's ``TokenCacheBackend/watch()``.
///
/// It begins when it is made: whatever changes from then on ends the next wait. It ends when it is let go of.
public protocol GroupWatch: Sendable {
  /// Waits until something may have changed since the last wait ended, for a time at most, or until the task is
  /// cancelled.
  ///
  /// It may return without a change, and of many it tells once.
  func wait(atMost limit: Duration) async

  /// How the group stands, and the records that any of several queries asks for.
  ///
  /// Looking never prompts. The first look may open the group as any call does; after it looking never undoes a lock, also
  /// not one that comes in the middle of it.
  func look(for queries: [RecordQuery]) async -> GroupView
}
