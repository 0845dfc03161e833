// SPDX-License-Identifier: MIT

/// What a task waits for.
///
/// It comes exactly once: by whichever is first of an answer, the deadline and cancellation.
final class Pending<Output: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Output, any Error>?
    var result: Result<Output, any Error>?
  }

  private let state = Locked(State())

  /// Ends the wait, unless it has ended.
  ///
  /// The continuation is resumed outside the lock.
  func end(with result: Result<Output, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Output, any Error>? in
      guard state.result == nil else { return nil }
      defer { state = State(result: result) }
      return state.continuation
    }
    waiting?.resume(with: result)
  }

  /// Waits for the end.
  func value() async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      let ended = state.withLock { state in
        if state.result == nil { state.continuation = continuation }
        return state.result
      }
      if let ended { continuation.resume(with: ended) }
    }
  }
}
