// SPDX-License-Identifier: MIT

import CLibSecret

/// The one thread that runs GLib: every libsecret object is made, used and dropped on it.
///
/// A Swift process does not iterate GLib's default main context, so asynchronous calls need a context and a
/// thread of their own. The thread starts with the first use and lives as long as the process.
@safe final class GLibThread: @unchecked Sendable {  // a GMainContext may be used from any thread
  static let shared = GLibThread()

  private let context: OpaquePointer

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

  /// Runs `work` on the thread, soon.
  func perform(_ work: @escaping @Sendable () -> Void) {
    _ = unsafe attach(g_idle_source_new(), work)
  }

  /// Runs `work` on the thread after a delay, unless the timer is cancelled first.
  func perform(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> GLibTimer {
    let milliseconds = max(
      1, delay.components.seconds * 1000 + delay.components.attoseconds / 1_000_000_000_000_000)
    return unsafe GLibTimer(attach(g_timeout_source_new(guint(clamping: milliseconds)), work))
  }

  /// Attaches a source that runs `work` once; returns its id.
  private func attach(
    _ source: UnsafeMutablePointer<GSource>?, _ work: @escaping @Sendable () -> Void
  ) -> guint {
    let box = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
    unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
    unsafe g_source_set_callback(
      source,
      { data in
        if let data = unsafe data { unsafe Unmanaged<Work>.fromOpaque(data).takeUnretainedValue().run() }
        return 0
      }, box,
      { data in
        if let data = unsafe data { unsafe Unmanaged<Work>.fromOpaque(data).release() }
      })
    let identifier = unsafe g_source_attach(source, context)
    unsafe g_source_unref(source)
    return identifier
  }

  /// Stops a source that has not run yet.
  ///
  /// Done on the thread itself, where the source can't be freed meanwhile.
  fileprivate func detach(_ identifier: guint) {
    guard unsafe g_main_context_is_owner(context) != 0 else { return perform { self.detach(identifier) } }
    if let source = unsafe g_main_context_find_source_by_id(context, identifier) {
      unsafe g_source_destroy(source)
    }
  }

  private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// Work that waits for its time on the GLib thread.
struct GLibTimer: Sendable {
  private let identifier: guint

  init(_ identifier: guint) { self.identifier = identifier }

  /// Stops the timer; harmless when it has run.
  func cancel() { GLibThread.shared.detach(identifier) }
}
