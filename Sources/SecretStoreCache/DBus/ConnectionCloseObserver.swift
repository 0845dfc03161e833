// SPDX-License-Identifier: MIT

import CLibSecret

/// An observer of the loss of a bus, which the bus itself can't signal.
///
/// It holds no strong reference to the bus, since GIO returns a lost bus for as long as anybody holds one.
@safe final class ConnectionCloseObserver: @unchecked Sendable {  // used on the GLib thread only
  private final class Handler: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let bus: UnsafeMutablePointer<GWeakRef>
  private let identifier: gulong

  /// Starts to observe; must run on the GLib thread, where `handler` also runs.
  init(of bus: OpaquePointer, _ handler: @escaping @Sendable () -> Void) {
    unsafe self.bus = .allocate(capacity: 1)
    unsafe g_weak_ref_init(self.bus, UnsafeMutableRawPointer(bus))
    let closed:
      @convention(c) (
        UnsafeMutableRawPointer?, gboolean, UnsafeMutablePointer<GError>?, UnsafeMutableRawPointer?
      ) -> Void = { _, _, _, data in
        guard let data = unsafe data else { return }
        unsafe Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().run()
      }
    identifier = unsafe g_signal_connect_data(
      UnsafeMutableRawPointer(bus), "closed", unsafeBitCast(closed, to: GCallback.self),
      Unmanaged.passRetained(Handler(handler)).toOpaque(),
      { data, _ in
        if let data = unsafe data { unsafe Unmanaged<Handler>.fromOpaque(data).release() }
      }, GConnectFlags(rawValue: 0))
  }

  deinit {
    nonisolated(unsafe) let bus = unsafe bus
    let identifier = identifier
    GLibThread.shared.perform {
      if let connection = unsafe g_weak_ref_get(bus) {
        unsafe g_signal_handler_disconnect(connection, identifier)
        unsafe g_object_unref(connection)
      }
      unsafe g_weak_ref_clear(bus)
      unsafe bus.deallocate()
    }
  }
}
