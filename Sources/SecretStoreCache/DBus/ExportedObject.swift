// SPDX-License-Identifier: MIT

import CLibSecret

/// An object that other programs call over D-Bus; it is served as long as this value lives.
///
/// GDBus checks each call against the interface, and replies to introspection itself.
@safe package final class ExportedObject: @unchecked Sendable {  // used on the GLib thread only
  /// An interface's description, as in the D-Bus Specification's introspection format.
  @safe package struct Interface: @unchecked Sendable {  // immutable
    let pointer: UnsafeMutablePointer<GDBusInterfaceInfo>

    /// Returns the interface of a name in an XML document.
    ///
    /// The description lives as long as the process.
    package init(_ name: String, in document: String) throws {
      let node = unsafe try withGError { unsafe g_dbus_node_info_new_for_xml(document, $0) }
      guard let node = unsafe node, let pointer = unsafe g_dbus_node_info_lookup_interface(node, name) else {
        throw BusError.malformed
      }
      unsafe self.pointer = pointer
    }
  }

  private final class Handler: Sendable {
    let run: @Sendable (IncomingCall) -> Void
    init(_ run: @escaping @Sendable (IncomingCall) -> Void) { self.run = run }
  }

  private let bus: OpaquePointer
  private let identifier: guint

  /// The table of C functions that GDBus calls.
  private nonisolated(unsafe) static let table: UnsafeMutablePointer<GDBusInterfaceVTable> = {
    let table = UnsafeMutablePointer<GDBusInterfaceVTable>.allocate(capacity: 1)
    unsafe table.initialize(to: GDBusInterfaceVTable())
    unsafe table.pointee.method_call = { _, sender, _, _, method, arguments, invocation, data in
      guard let data = unsafe data, let invocation = unsafe invocation, let arguments = unsafe arguments,
        let method = unsafe method
      else { return }
      let call = unsafe IncomingCall(
        owning: invocation, method: String(cString: method),
        sender: sender.map { unsafe String(cString: $0) },
        arguments: arguments)
      unsafe Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().run(call)
    }
    return unsafe table
  }()

  /// Exports an object; must run on the GLib thread, where `handler` also runs.
  init(
    _ path: ObjectPath, _ interface: Interface, on bus: OpaquePointer,
    _ handler: @escaping @Sendable (IncomingCall) -> Void
  ) throws {
    let box = unsafe Unmanaged.passRetained(Handler(handler)).toOpaque()
    identifier = unsafe try withGError { error in
      unsafe g_dbus_connection_register_object(
        bus, path.text, interface.pointer, Self.table, box,
        { data in
          if let data = unsafe data { unsafe Unmanaged<Handler>.fromOpaque(data).release() }
        }, error)
    }
    unsafe self.bus = unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer(bus)))
  }

  deinit {
    nonisolated(unsafe) let bus = unsafe bus
    let identifier = identifier
    GLibThread.shared.perform {
      unsafe g_dbus_connection_unregister_object(bus, identifier)
      unsafe g_object_unref(UnsafeMutableRawPointer(bus))
    }
  }
}
