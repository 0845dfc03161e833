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
    do {
      _ = unsafe try withGError { unsafe g_dbus_message_to_gerror(message, $0) }
    } catch {
      var error = error
      if error.name == BusError.accessDenied { error.deniedCall = deniedCall }
      throw error
    }
    let none = unsafe g_variant_ref_sink(g_variant_new_tuple(nil, 0))
    defer { unsafe g_variant_unref(none) }
    guard let values = unsafe g_dbus_message_get_body(message) ?? none,
      unsafe String(cString: g_variant_get_type_string(values)) == signature
    else { throw BusError.malformed }
    return unsafe try read(Reply(lending: values))
  }

  /// The interface and the method of a call that the bus's policy denies, as dbus-daemon(1) states them.
  private var deniedCall: String? {
    func value(of name: String) -> String? {
      let value = errorText?.split(separator: " \(name)=\"", maxSplits: 1).dropFirst().first?.prefix {
        $0 != "\""
      }
      return value.map { $0.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._".contains($0)) } }
    }
    guard let interface = value(of: "interface"), let method = value(of: "member") else { return nil }
    return "\(interface).\(method)"
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
