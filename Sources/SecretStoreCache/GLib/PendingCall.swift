// SPDX-License-Identifier: MIT

import CLibSecret

/// An asynchronous GLib call that a Swift task waits for.
///
/// C holds one retain, which the callback releases. An abandoned call lives until the service replies, and its reply
/// is ignored.
@safe class PendingCall: @unchecked Sendable {  // used on the GLib thread only
  /// Cancels the GLib call.
  ///
  /// It is cancelled on the GLib thread only, since its handlers run on the cancelling thread.
  let cancellable: UnsafeMutablePointer<GCancellable>

  init() { unsafe cancellable = g_cancellable_new() }

  deinit {
    nonisolated(unsafe) let cancellable = unsafe cancellable
    GLibThread.shared.perform { unsafe g_object_unref(cancellable) }
  }

  /// Passes GLib's result on; runs on the GLib thread.
  func complete(_ reply: AsyncReply) {}

  /// Returns the `user_data` of a call: one retain, which ``callback`` releases.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// The `GAsyncReadyCallback` of a call.
  static let callback: GAsyncReadyCallback = { _, result, data in
    guard let data = unsafe data else { return }
    let call = unsafe Unmanaged<PendingCall>.fromOpaque(data).takeRetainedValue()
    unsafe call.complete(AsyncReply(result: result))
  }
}

/// The result that GLib passes to the callback of an asynchronous call, borrowed until the call is finished.
@safe struct AsyncReply {
  let result: OpaquePointer?
}
