// SPDX-License-Identifier: MIT

import CLibSecret

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
