// SPDX-License-Identifier: MIT

/// A watch for changes of a group, which a back end's ``TokenCacheBackend/watch()`` returns.
///
/// It starts when it is created: any later change ends the next wait. It ends when it is released.
public protocol GroupWatch: Sendable {
  /// Waits until the group may have changed since the last wait, until the time limit, or until the task is cancelled.
  ///
  /// It may return without a change, and returns once for several changes.
  nonisolated(nonsending) func wait(atMost limit: Duration) async

  /// Returns the group's state and the records that match any of several queries.
  ///
  /// The call never prompts. The first call may unlock the group as any other call does. Later calls never unlock it,
  /// even if it is locked during the call.
  nonisolated(nonsending) func observe(_ queries: [RecordQuery]) async -> GroupObservation
}

/// A watch that reads the group every few seconds, for back ends that can't signal changes.
package struct PollingWatch: GroupWatch {
  /// The time between two reads; only tests change it.
  @TaskLocal package static var interval = Duration.seconds(5)

  private let backend: any TokenCacheBackend

  package init(backend: any TokenCacheBackend) { self.backend = backend }

  package func wait(atMost limit: Duration) async { try? await Task.sleep(for: min(limit, Self.interval)) }

  package func observe(_ queries: [RecordQuery]) async -> GroupObservation {
    do {
      return GroupObservation(placement: "", records: try await backend.records(matchingAny: queries))
    } catch {
      return GroupObservation(error)
    }
  }
}
