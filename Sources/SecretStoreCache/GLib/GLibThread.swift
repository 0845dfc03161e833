// SPDX-License-Identifier: MIT

import CLibSecret

/// The thread of GLib's main loop.
///
/// libsecret's objects are created and released on it, and it runs signals and timers.
///
/// D-Bus calls don't use it; see ``BusCalls``.
///
/// A Swift process does not iterate GLib's default main context, so asynchronous calls need a context and a thread of
/// their own. The thread starts with the first use and lives as long as the process.
@safe final class GLibThread: @unchecked Sendable {  // a GMainContext may be used from any thread
  /// The work to be run, by the number that its source has as data.
  ///
  /// It is passed under this library's own lock, because ThreadSanitizer does not see GLib's locks.
  private struct Waiting {
    var work: [UInt: @Sendable () -> Void] = [:]
    var last: UInt = 0
  }

  static let shared = GLibThread()

  private let context: OpaquePointer
  private let waiting = Locked(Waiting())

  private init() {
    let context: OpaquePointer = unsafe g_main_context_new()
    unsafe self.context = context
    let thread = unsafe g_thread_new(
      "secretstorecache",
      { data in
        let context = OpaquePointer(data)
        unsafe g_main_context_push_thread_default(context)
        unsafe g_main_loop_run(g_main_loop_new(context, 0))
        return nil
      }, UnsafeMutableRawPointer(context))
    unsafe g_thread_unref(thread)
  }

  /// Runs `work` on the thread as soon as possible.
  func perform(_ work: @escaping @Sendable () -> Void) {
    _ = unsafe attach(g_idle_source_new(), work)
  }

  /// Runs `work` on the thread after a delay, unless the timer is cancelled first.
  func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> GLibTimer {
    let delay = min(delay, .seconds(4_000_000))  // the source's maximum
    let milliseconds = max(
      1, delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000)
    return unsafe GLibTimer(attach(g_timeout_source_new(guint(clamping: milliseconds)), work))
  }

  /// Attaches a source that runs `work` once, and returns its ID.
  private func attach(
    _ source: UnsafeMutablePointer<GSource>?, _ work: @escaping @Sendable () -> Void
  ) -> guint {
    let number = waiting.withLock { waiting in
      waiting.last += 1
      waiting.work[waiting.last] = work
      return waiting.last
    }
    unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
    unsafe g_source_set_callback(
      source,
      { number in
        GLibThread.shared.removeWork(UInt(bitPattern: number))?()
        return 0
      }, UnsafeMutableRawPointer(bitPattern: number),
      { number in _ = GLibThread.shared.removeWork(UInt(bitPattern: number)) })
    let identifier = unsafe g_source_attach(source, context)
    unsafe g_source_unref(source)
    return identifier
  }

  /// Removes and returns work; the caller releases it outside of the lock, since that may enqueue more work.
  private func removeWork(_ number: UInt) -> (@Sendable () -> Void)? {
    waiting.withLock { $0.work.removeValue(forKey: number) }
  }

  /// Removes a source that has not run yet.
  ///
  /// This runs on the thread itself, where the source can't be freed meanwhile.
  func detach(_ identifier: guint) {
    guard unsafe g_main_context_is_owner(context) != 0 else { return perform { self.detach(identifier) } }
    if let source = unsafe g_main_context_find_source_by_id(context, identifier) {
      unsafe g_source_destroy(source)
    }
  }
}

/// Work scheduled on the GLib thread.
struct GLibTimer: Sendable {
  private let identifier: guint

  init(_ identifier: guint) { self.identifier = identifier }

  /// Stops the timer; it has no effect when the work has run.
  func cancel() { GLibThread.shared.detach(identifier) }
}
