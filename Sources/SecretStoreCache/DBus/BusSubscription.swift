// SPDX-License-Identifier: MIT

import CLibSecret

/// A subscription to signals on a bus, which lasts as long as this object.
///
/// It holds no strong reference to the bus, since GIO returns a lost bus for as long as anybody holds one.
@safe final class BusSubscription: @unchecked Sendable {  // used on the GLib thread only
  /// The signals to receive: those that match every value given.
  struct Filter: Sendable {
    /// The sender's unique name, or the bus's name; no other program can send under either.
    var sender: String?
    var interface: String?
    var member: String?
    var path: String?
    /// The signal's first argument.
    var argument: String?

    /// Returns whether a received signal matches.
    ///
    /// The bus delivers a broadcast signal only if a subscription matches it. A signal that is addressed to this
    /// program arrives without one.
    func fits(_ signal: BusSignal) -> Bool {
      (sender == nil || signal.sender == sender)
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

  /// Subscribes to signals; must run on the GLib thread, where `handler` also runs.
  ///
  /// - Parameter handler: Reads the signal's arguments, a tuple.
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

/// Subscriptions on a bus that last as long as this object.
final class BusListening: Sendable {
  private let subscriptions: [BusSubscription]
  private let closure: ConnectionCloseObserver

  init(_ subscriptions: [BusSubscription], _ closure: ConnectionCloseObserver) {
    self.subscriptions = subscriptions
    self.closure = closure
  }
}
