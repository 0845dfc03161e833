// SPDX-License-Identifier: MIT

import CLibSecret

/// A received signal, borrowed for reading.
@safe struct BusSignal {
  private let message: OpaquePointer

  /// Borrows a message, which must be a signal.
  init(lending message: OpaquePointer) { unsafe self.message = message }

  /// The unique name of the sender; the bus guarantees that it is true.
  var sender: String? { unsafe g_dbus_message_get_sender(message).map { unsafe String(cString: $0) } }
  var interface: String? { unsafe g_dbus_message_get_interface(message).map { unsafe String(cString: $0) } }
  var member: String? { unsafe g_dbus_message_get_member(message).map { unsafe String(cString: $0) } }

  /// The first argument if it is a string.
  var argument: String? {
    unsafe g_dbus_message_get_body(message).flatMap { unsafe Reply(lending: $0).text(at: 0) }
  }

  /// The first argument if it is a number.
  var number: Int? {
    unsafe g_dbus_message_get_body(message).flatMap { unsafe Reply(lending: $0).number(at: 0) }
  }
}
