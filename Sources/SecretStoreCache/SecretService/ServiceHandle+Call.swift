// SPDX-License-Identifier: MIT

import CLibSecret
import TokenCacheModel

extension ServiceHandle {
  /// Calls a method of the Secret Service over D-Bus.
  ///
  /// - Parameters:
  ///   - arguments: Makes the arguments.
  ///   - reply: The type that the specification gives the reply, a tuple; one of another type is an error.
  ///   - read: Reads the reply, a tuple.
  func call<Output: Sendable>(
    _ rule: CancellationRule, path: ObjectPath, interface: String, method: String,
    arguments: @escaping @Sendable () throws -> [Variant], reply: String,
    read: @escaping @Sendable (Reply) throws -> Output
  ) async throws -> Output {
    let method = BusMethod(service: Self.busName, path: path, interface: interface, name: method)
    return try await calls.call(rule, BusMessage(calling: method, arguments)).read(as: reply, read)
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

  /// A secret, encrypted for the session.
  func encode(_ secret: Secret) -> Variant {
    let value = unsafe secret.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe secret_value_new(
          bytes.baseAddress?.assumingMemoryBound(to: gchar.self), gssize(bytes.count), "application/json")
      }
    }
    defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
    return Self.coding.withLock { _ in
      unsafe Variant(pointer: secret_service_encode_dbus_secret(service, value))
    }
  }

  /// What a secret that was encrypted for the session holds; `nil` when it was not, or is something else.
  func decode(_ reply: Reply) -> Secret? {
    guard reply.isOfType("(oayays)") else { return nil }
    let value = unsafe Self.coding.withLock { _ in
      unsafe secret_service_decode_dbus_secret(service, reply.pointer)
    }
    guard let value = unsafe value else { return nil }
    defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
    var length: gsize = 0
    return unsafe secret_value_get(value, &length).map { start in
      unsafe start.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
        unsafe Secret(UnsafeBufferPointer(start: $0, count: Int(length)))
      }
    }
  }

  /// libsecret's session has one key for as long as it lives, and one thread at a time uses it.
  ///
  /// The value stands for nothing: an empty one would have the address of its lock, and ThreadSanitizer take it for that.
  private static let coding = Locked(0)
}
