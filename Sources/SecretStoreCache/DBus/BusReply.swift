// SPDX-License-Identifier: MIT

import CLibSecret

/// The reply to a call: a method's return values or a service's error.
@safe final class BusReply: @unchecked Sendable {  // a received message is immutable
  private let message: OpaquePointer

  /// Takes ownership of a message.
  init(owning message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }

  /// Reads the return values.
  ///
  /// - Parameters:
  ///   - signature: The type of the return values in the method's specification, a tuple.
  ///   - read: Reads the tuple.
  /// - Throws: The service's error; ``BusError/malformed`` when the values are of another type.
  func read<Output>(as signature: String, _ read: (Reply) throws -> Output) throws -> Output {
    _ = unsafe try withGError { unsafe g_dbus_message_to_gerror(message, $0) }
    let none = unsafe g_variant_ref_sink(g_variant_new_tuple(nil, 0))
    defer { unsafe g_variant_unref(none) }
    guard let values = unsafe g_dbus_message_get_body(message) ?? none,
      unsafe String(cString: g_variant_get_type_string(values)) == signature
    else { throw BusError.malformed }
    return unsafe try read(Reply(lending: values))
  }

  /// The file descriptor at an index that came with the reply, which the caller owns; `nil` when there is none.
  func descriptor(at index: Int) -> Int32? {
    guard let list = unsafe g_dbus_message_get_unix_fd_list(message), index >= 0,
      index < Int(unsafe g_unix_fd_list_get_length(list))
    else { return nil }
    let descriptor = unsafe g_unix_fd_list_get(list, gint(index), nil)
    return descriptor < 0 ? nil : descriptor
  }

  /// The text of an error, which its sender chose; `nil` when the reply is no error.
  var errorText: String? {
    guard unsafe g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_ERROR else { return nil }
    return unsafe g_dbus_message_get_body(message).flatMap { unsafe Reply(lending: $0).text(at: 0) }
  }
}
