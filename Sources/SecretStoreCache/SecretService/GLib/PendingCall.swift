// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// One asynchronous GLib call that a Swift task waits for.
///
/// C holds it by one retain, which the callback takes back; a call that was abandoned lives until the service answers,
/// and nobody listens then.
@safe class PendingCall: @unchecked Sendable {  // the C pointer is touched on the GLib thread only
  /// Tells GLib to give up.
  ///
  /// Cancelled on the GLib thread only: its handlers run in the cancelling thread.
  let cancellable: UnsafeMutablePointer<GCancellable>

  init() { unsafe cancellable = g_cancellable_new() }

  deinit {
    nonisolated(unsafe) let cancellable = unsafe cancellable
    GLibThread.shared.perform { unsafe g_object_unref(cancellable) }
  }

  /// Passes GLib's answer on; called on the GLib thread.
  func complete(_ answer: AsyncAnswer) {}

  /// What a call passes as its `user_data`: one retain, taken back by ``callback``.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// What a call passes as its `GAsyncReadyCallback`.
  static let callback: GAsyncReadyCallback = { _, result, data in
    guard let data = unsafe data else { return }
    let call = unsafe Unmanaged<PendingCall>.fromOpaque(data).takeRetainedValue()
    unsafe call.complete(AsyncAnswer(result: result))
  }
}

/// A pending call with the type of its outcome.
@safe final class TypedCall<Output: Sendable>: PendingCall, @unchecked Sendable {
  private let finish: (AsyncAnswer) throws -> Output
  private let pending = Pending<Output>()
  private let timer = Locked<GLibTimer?>(nil)

  init(finish: @escaping (AsyncAnswer) throws -> Output) {
    self.finish = finish
  }

  override func complete(_ answer: AsyncAnswer) {
    do {
      end(with: .success(try finish(answer)))
    } catch {
      end(with: .failure(error))
    }
  }

  /// Ends the call, unless it has ended.
  func end(with result: Result<Output, any Error>) {
    timer.withLock { $0.take() }?.cancel()
    pending.end(with: result)
  }

  /// Ends the call early and tells GLib to give up.
  ///
  /// The answer, should it come, is dropped.
  func abandon(_ error: any Error) {
    // In this order: GLib answers a cancelled call with an error of its own, which must not come first.
    end(with: .failure(error))
    GLibThread.shared.perform { unsafe g_cancellable_cancel(self.cancellable) }
  }

  /// Waits for the end.
  func wait(limit: Duration) async throws -> Output {
    let timer = GLibThread.shared.perform(after: limit) { [weak self] in
      self?.abandon(SecretStoreError.noAnswerInTime)
    }
    self.timer.withLock { $0 = timer }
    defer { self.timer.withLock { $0.take() }?.cancel() }
    return try await pending.value()
  }
}
