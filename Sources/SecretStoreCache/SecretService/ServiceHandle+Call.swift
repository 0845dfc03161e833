// SPDX-License-Identifier: MIT

import CLibSecret

extension ServiceHandle {
  /// Calls a method of the Secret Service over D-Bus, for what libsecret's path-level functions lack.
  ///
  /// - Parameters:
  ///   - arguments: Makes the arguments; runs on the GLib thread.
  ///   - reply: The type that the specification gives the reply, a tuple; one of another type is an error.
  ///   - read: Reads the reply, a tuple; runs on the GLib thread.
  func call<Output: Sendable>(
    _ rule: CancellationRule, path: ObjectPath, interface: String, method: String,
    arguments: @escaping @Sendable () throws -> [Variant], reply: String,
    read: @escaping @Sendable (Reply) throws -> Output
  ) async throws -> Output {
    try await withGLibCall(rule) { [self] call in
      let parameters = Variant.tuple(try arguments())
      let type = unsafe g_variant_type_new(reply)
      defer { unsafe g_variant_type_free(type) }
      // The deadline is ours; GIO's own would cut a longer one short.
      unsafe g_dbus_connection_call(
        bus, Self.busName, path.text, interface, method, parameters.pointer, type, G_DBUS_CALL_FLAGS_NONE,
        Int32.max, call.cancellable, PendingCall.callback, call.retained())
    } finish: { [self] answer in
      let reply = unsafe try withAnswer { unsafe g_dbus_connection_call_finish(bus, answer.result, $0) }
      guard let reply = unsafe reply else { throw BusError.malformed }
      defer { unsafe g_variant_unref(reply) }
      return unsafe try read(Reply(lending: reply))
    }
  }

  /// Whether an object of the provider has an interface.
  func has(_ interface: String, at path: ObjectPath) async throws -> Bool {
    do {
      return try await call(
        .cancellable, path: path, interface: "org.freedesktop.DBus.Introspectable", method: "Introspect",
        arguments: { [] }, reply: "(s)", read: { $0.text(at: 0)?.contains("\"\(interface)\"") == true })
    } catch let error as BusError where error.meaning == .noSuchObject {
      return false
    }
  }

  /// A secret, encrypted for the session; on the GLib thread.
  func encode(_ secret: [UInt8]) -> Variant {
    let value = unsafe secret.withUnsafeBytes { bytes in
      unsafe secret_value_new(
        bytes.baseAddress?.assumingMemoryBound(to: gchar.self), gssize(bytes.count), "application/json")
    }
    defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
    return unsafe Variant(pointer: secret_service_encode_dbus_secret(service, value))
  }
}
