// SPDX-License-Identifier: MIT

import CLibSecret

/// A signal that arrived, lent for looking at.
@safe struct BusSignal {
  private let message: OpaquePointer

  /// Lends a message, which must be a signal.
  init(lending message: OpaquePointer) { unsafe self.message = message }

  /// The program that sent it; the bus itself sees to it that this is true.
  var sender: String? { unsafe g_dbus_message_get_sender(message).map { unsafe String(cString: $0) } }
  var interface: String? { unsafe g_dbus_message_get_interface(message).map { unsafe String(cString: $0) } }
  var member: String? { unsafe g_dbus_message_get_member(message).map { unsafe String(cString: $0) } }

  /// The first argument, where that is a text.
  var argument: String? {
    unsafe g_dbus_message_get_body(message).flatMap { unsafe Reply(lending: $0).text(at: 0) }
  }
}
