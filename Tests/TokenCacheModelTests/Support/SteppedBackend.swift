// SPDX-License-Identifier: MIT

import TokenCacheModel

/// Schedules two users of one back end: first by a fixed order of turns, then as they come.
actor Turns {
  private var schedule: ArraySlice<Int>
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var finished: Set<Int> = []

  init(_ schedule: [Int]) { self.schedule = schedule[...] }

  /// Waits for a turn.
  func take(_ who: Int) async {
    if isTurn(of: who) {
      schedule = schedule.dropFirst()
      wake()
    } else {
      await withCheckedContinuation { waiting[who] = $0 }
    }
  }

  /// Takes no more turns.
  func finish(_ who: Int) {
    finished.insert(who)
    wake()
  }

  private func isTurn(of who: Int) -> Bool {
    schedule = schedule.drop { finished.contains($0) }
    return schedule.isEmpty || schedule.first == who
  }

  private func wake() {
    for (who, continuation) in waiting where isTurn(of: who) {
      waiting[who] = nil
      schedule = schedule.dropFirst()
      continuation.resume()
    }
  }
}

/// A back end whose every call waits for its user's turn.
struct SteppedBackend: ForwardingBackend {
  let inner: InMemoryBackend
  let turns: Turns
  let who: Int

  func records(matching query: RecordQuery) async throws -> [Record] {
    await turns.take(who)
    return try await inner.records(matching: query)
  }

  func record(for key: RecordKey) async throws -> Record? {
    await turns.take(who)
    return try await inner.record(for: key)
  }

  func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    await turns.take(who)
    return try await inner.update(key, change)
  }

  func remove(_ key: RecordKey) async throws {
    await turns.take(who)
    try await inner.remove(key)
  }
}
