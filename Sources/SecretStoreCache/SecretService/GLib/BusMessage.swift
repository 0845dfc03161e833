// SPDX-License-Identifier: MIT

import CLibSecret

/// A call or a signal on its way to the bus.
@safe final class BusMessage {
  private let message: OpaquePointer

  /// - Throws: What `arguments` throws; `BusError.malformed` for a path or a name that the bus would not take.
  init(calling method: BusMethod, _ arguments: () throws -> [Variant]) throws {
    let message = unsafe g_dbus_message_new_method_call(
      method.service, method.path.text, method.interface, method.name)
    guard let message = unsafe message else { throw BusError.malformed }
    unsafe self.message = message
    unsafe g_dbus_message_set_body(message, Variant.tuple(try arguments()).pointer)
  }

  /// Makes a signal.
  init(signal member: String, of interface: String, from path: String, _ arguments: () throws -> [Variant])
    throws
  {
    let message = unsafe g_dbus_message_new_signal(path, interface, member)
    guard let message = unsafe message else { throw BusError.malformed }
    unsafe self.message = message
    unsafe g_dbus_message_set_body(message, Variant.tuple(try arguments()).pointer)
  }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }

  /// Sends it, once.
  ///
  /// - Returns: The number that its answer will name.
  func send(on bus: OpaquePointer) throws -> UInt32 {
    var serial: UInt32 = 0
    _ = unsafe try withGError { error in
      unsafe g_dbus_connection_send_message(bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, error)
    }
    return serial
  }
}
