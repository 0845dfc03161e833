// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Whether a call may be abandoned when the task that waits for it is cancelled.
enum CancellationRule {
  /// For reading: abandon the call at once.
  case cancellable
  /// For writing and connecting: once the call is sent, wait for it so that its outcome is known.
  case waited
}

/// Runs an asynchronous GLib call on the GLib thread and waits for its result, at most until the deadline.
///
/// - Parameters:
///   - rule: The effect of a cancellation.
///   - start: Starts the call on the GLib thread. It must pass `PendingCall.callback` and the pending call's
///     `retained()` to C. It throws when the call can't be started.
///   - finish: Reads the result on the GLib thread.
func withGLibCall<Output: Sendable>(
  _ rule: CancellationRule,
  start: @escaping @Sendable (PendingCall) throws -> Void,
  finish: @escaping (AsyncReply) throws -> Output
) async throws -> Output {
  try Task.checkCancellation()
  let limit = try Deadline.ahead() - .now
  let call = TypedCall(finish: finish)
  GLibThread.shared.perform {
    do { try start(call) } catch { call.end(with: .failure(error)) }
  }
  switch rule {
  case .waited: return try await call.wait(limit: limit)
  case .cancellable:
    return try await withTaskCancellationHandler {
      try await call.wait(limit: limit)
    } onCancel: {
      call.abandon(CancellationError())
    }
  }
}

/// Runs `work` on the GLib thread and waits for it.
package func onGLibThread<Output: Sendable>(_ work: @escaping @Sendable () -> Output) async -> Output {
  await withCheckedContinuation { continuation in
    GLibThread.shared.perform { continuation.resume(returning: work()) }
  }
}
