// SPDX-License-Identifier: MIT

/// A result that a task waits for.
///
/// It is set exactly once, by a reply, the deadline or a cancellation, whichever comes first.
final class Pending<Output: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Output, any Error>?
    var result: Result<Output, any Error>?
  }

  private let state = Locked(State())

  /// Sets the result, unless there is one.
  ///
  /// The continuation is resumed outside of the lock.
  func end(with result: Result<Output, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Output, any Error>? in
      guard state.result == nil else { return nil }
      defer { state = State(result: result) }
      return state.continuation
    }
    waiting?.resume(with: result)
  }

  /// Waits for the result.
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
