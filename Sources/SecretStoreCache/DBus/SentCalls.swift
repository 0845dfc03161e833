// SPDX-License-Identifier: MIT

import CLibSecret

/// The destinations of the calls that a process has made on a bus.
///
/// A reply names its call by a serial number, which other programs can observe or guess. A session bus may let any
/// program send replies, as Debian's does. Only the sender's name, which the bus sets, shows whether a reply is
/// genuine.
struct SentCalls {
  /// The bus's own name.
  static let bus = "org.freedesktop.DBus"

  /// The serial number of a call of this process; calls up to this number are not recorded.
  private let first: UInt32
  /// The destinations by serial number; `nil` for a call without one, on a connection without a bus.
  private var destinations: [UInt32: String?] = [:]

  init(after first: UInt32) { self.first = first }

  /// Records a call.
  mutating func note(_ serial: UInt32, to destination: String?) {
    destinations.updateValue(destination, forKey: serial)
  }

  /// Records a message that is being sent, if it is a call that expects a reply.
  mutating func note(_ message: OpaquePointer) {
    guard unsafe g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL,
      unsafe g_dbus_message_get_flags(message).rawValue & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue == 0
    else { return }
    let destination = unsafe g_dbus_message_get_destination(message).map { unsafe String(cString: $0) }
    note(unsafe g_dbus_message_get_serial(message), to: destination)
  }

  /// Returns whether a message is a reply of the call's destination, or the bus's error that there will be none.
  ///
  /// The call then counts as replied to. A reply to a call up to ``first`` is accepted from any sender.
  mutating func acceptsReply(_ message: OpaquePointer) -> Bool {
    let serial = unsafe g_dbus_message_get_reply_serial(message)
    guard let destination = destinations[serial] else { return serial <= first }
    let sender = unsafe g_dbus_message_get_sender(message).map { unsafe String(cString: $0) }
    let isError = unsafe g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_ERROR
    guard Self.mayReply(sender, to: destination, isError: isError) else { return false }
    destinations[serial] = nil
    return true
  }

  /// Returns whether a sender may reply to a call for its destination.
  ///
  /// A message without a sender comes from the other end of the connection: the bus, or the proxy of a sandbox. A
  /// call to a well-known name has no sender that may reply, since only the bus knows the name's owner.
  private static func mayReply(_ sender: String?, to destination: String?, isError: Bool) -> Bool {
    guard let destination else { return true }
    let isBus = sender == nil || sender == bus
    return sender == destination || (isBus && (isError || destination == bus))
  }
}
