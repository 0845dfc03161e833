// SPDX-License-Identifier: MIT

import CLibSecret

/// A method call or a signal to be sent to the bus.
@safe final class BusMessage {
  private let message: OpaquePointer

  /// The bus name that a call is sent to.
  var destination: String? {
    unsafe g_dbus_message_get_destination(message).map { unsafe String(cString: $0) }
  }

  /// Creates a method call.
  ///
  /// - Throws: The error of `arguments`; ``BusError/malformed`` for a path or a name that the bus would not accept.
  init(calling method: BusMethod, _ arguments: () throws -> [Variant]) throws {
    let message = unsafe g_dbus_message_new_method_call(
      method.service, method.path.text, method.interface, method.name)
    guard let message = unsafe message else { throw BusError.malformed }
    unsafe self.message = message
    try set(try arguments())
  }

  /// Creates a signal.
  init(signal member: String, of interface: String, from path: String, _ arguments: () throws -> [Variant])
    throws
  {
    let message = unsafe g_dbus_message_new_signal(path, interface, member)
    guard let message = unsafe message else { throw BusError.malformed }
    unsafe self.message = message
    try set(try arguments())
  }

  private func set(_ arguments: [Variant]) throws {
    let body = try Variant.tuple(arguments)
    withExtendedLifetime(body) { unsafe g_dbus_message_set_body(message, body.pointer) }
  }

  /// Marks the call as one that expects no reply.
  func expectsNoReply() -> BusMessage {
    unsafe g_dbus_message_set_flags(message, G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED)
    return self
  }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }

  /// Sends the message; a message can be sent once.
  ///
  /// - Returns: The message's serial number, which its reply names.
  func send(on bus: OpaquePointer) throws -> UInt32 {
    var serial: UInt32 = 0
    _ = unsafe try withGError { error in
      unsafe g_dbus_connection_send_message(bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, &serial, error)
    }
    return serial
  }
}

/// A method of an object on the bus.
struct BusMethod: Sendable {
  /// The unique name of the program that owns the object, or the name of the bus; `nil` on a private connection,
  /// which has no names.
  let service: String?
  let path: ObjectPath
  let interface: String
  let name: String
}
