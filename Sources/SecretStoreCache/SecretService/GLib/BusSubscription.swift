// SPDX-License-Identifier: MIT

import CLibSecret

/// Signals that are listened to on a bus, until it is let go of.
///
/// It does not keep the bus: GIO hands out one that was lost for as long as anybody does.
@safe final class BusSubscription: @unchecked Sendable {  // the pointer is used on the GLib thread only
  /// Which signals: those of a sender that fit whatever else is given.
  struct Filter: Sendable {
    var sender: String?
    var interface: String?
    var member: String?
    var path: String?
    /// The signal's first argument.
    var argument: String?

    /// Whether a signal that arrived is one of these; it has been sent only if somebody listens to them.
    ///
    /// It names its sender by a number, to which only the bus itself and the bus's own name are an exception: that a
    /// program that is known by a name sent it is for the bus to see to.
    func fits(_ signal: BusSignal) -> Bool {
      (sender != "org.freedesktop.DBus" || signal.sender == sender)
        && (interface == nil || signal.interface == interface)
        && (member == nil || signal.member == member) && (argument == nil || signal.argument == argument)
    }
  }

  private final class Handler: Sendable {
    let run: @Sendable (Reply) -> Void
    init(_ run: @escaping @Sendable (Reply) -> Void) { self.run = run }
  }

  private let bus: UnsafeMutablePointer<GWeakRef>
  private let identifier: guint

  /// Listens from now on; to be made on the GLib thread, where `handler` runs too.
  ///
  /// - Parameter handler: Is lent the signal's arguments, a tuple.
  init(_ filter: Filter, on bus: OpaquePointer, _ handler: @escaping @Sendable (Reply) -> Void) {
    unsafe self.bus = .allocate(capacity: 1)
    unsafe g_weak_ref_init(self.bus, UnsafeMutableRawPointer(bus))
    let box = unsafe Unmanaged.passRetained(Handler(handler)).toOpaque()
    identifier = unsafe g_dbus_connection_signal_subscribe(
      bus, filter.sender, filter.interface, filter.member, filter.path, filter.argument,
      G_DBUS_SIGNAL_FLAGS_NONE,
      { _, _, _, _, _, arguments, data in
        guard let data = unsafe data, let arguments = unsafe arguments else { return }
        unsafe Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().run(Reply(lending: arguments))
      }, box,
      { data in
        if let data = unsafe data { unsafe Unmanaged<Handler>.fromOpaque(data).release() }
      })
  }

  deinit {
    nonisolated(unsafe) let bus = unsafe bus
    let identifier = identifier
    GLibThread.shared.perform {
      if let connection = unsafe g_weak_ref_get(bus) {
        unsafe g_dbus_connection_signal_unsubscribe(OpaquePointer(connection), identifier)
        unsafe g_object_unref(connection)
      }
      unsafe g_weak_ref_clear(bus)
      unsafe bus.deallocate()
    }
  }
}
