// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// Whether a call may be given up when the task that waits for it is cancelled.
enum CancellationRule {
  /// Reading: give up at once.
  case cancellable
  /// Writing and connecting: once it has been sent it is waited for, so that its outcome is known.
  case waited
}

/// Runs one asynchronous GLib call on the GLib thread and waits for its answer, at most until the deadline.
///
/// - Parameters:
///   - rule: What cancellation does.
///   - start: Starts the call; runs on the GLib thread and must pass `PendingCall.callback` and the pending
///     call's `retained()` to C. Throws when it can't be started.
///   - finish: Takes the answer from GLib; runs on the GLib thread.
func withGLibCall<Output: Sendable>(
  _ rule: CancellationRule,
  start: @escaping @Sendable (PendingCall) throws -> Void,
  finish: @escaping (AsyncAnswer) throws -> Output
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
func onGLibThread<Output: Sendable>(_ work: @escaping @Sendable () -> Output) async -> Output {
  await withCheckedContinuation { continuation in
    GLibThread.shared.perform { continuation.resume(returning: work()) }
  }
}
