// SPDX-License-Identifier: MIT

import CLibSecret

/// What came back for a call: a method's return values or a service's error.
@safe final class BusAnswer: @unchecked Sendable {  // a message that was received does not change
  private let message: OpaquePointer

  /// Takes over a message.
  init(owning message: OpaquePointer) { unsafe self.message = message }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(message)) }

  /// Reads the return values.
  ///
  /// - Parameters:
  ///   - signature: The type that the method's specification gives them, a tuple.
  ///   - read: Is lent the tuple.
  /// - Throws: The service's error; `BusError.malformed` when they are of another type.
  func read<Output>(as signature: String, _ read: (Reply) throws -> Output) throws -> Output {
    _ = unsafe try withGError { unsafe g_dbus_message_to_gerror(message, $0) }
    let none = unsafe g_variant_ref_sink(g_variant_new_tuple(nil, 0))
    defer { unsafe g_variant_unref(none) }
    guard let values = unsafe g_dbus_message_get_body(message) ?? none,
      unsafe String(cString: g_variant_get_type_string(values)) == signature
    else { throw BusError.malformed }
    return unsafe try read(Reply(lending: values))
  }
}
