// SPDX-License-Identifier: MIT

import CLibSecret
import TokenCacheModel

extension ServiceHandle {
  /// Calls a D-Bus method of this daemon, by its unique name; a later owner of the service's name is not called.
  ///
  /// - Parameters:
  ///   - arguments: Makes the arguments.
  ///   - reply: The type of the reply in the specification, a tuple. A reply of another type is an error.
  ///   - read: Reads the reply, a tuple.
  func call<Output: Sendable>(
    _ rule: CancellationRule, path: ObjectPath, interface: String, method: String,
    arguments: @escaping @Sendable () throws -> [Variant], reply: String,
    read: @escaping @Sendable (Reply) throws -> Output
  ) async throws -> Output {
    let method = BusMethod(service: owner, path: path, interface: interface, name: method)
    return try await calls.call(rule, BusMessage(calling: method, arguments)).read(as: reply, read)
  }

  /// Returns whether an object of the provider has an interface.
  func has(_ interface: String, at path: ObjectPath) async throws -> Bool {
    do {
      return try await call(
        .cancellable, path: path, interface: "org.freedesktop.DBus.Introspectable", method: "Introspect",
        arguments: { [] }, reply: "(s)", read: { $0.text(at: 0)?.contains("\"\(interface)\"") == true })
    } catch let error as BusError where error.meaning == .noSuchObject {
      return false
    }
  }

  /// The content type of this library's items.
  package static let ownContentType: StaticString = "application/json"

  /// Encrypts a secret for the session.
  func encode(_ secret: Secret, _ contentType: StaticString = ownContentType) throws -> Variant {
    let value = unsafe secret.withBytes { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe secret_value_new(
          bytes.baseAddress?.assumingMemoryBound(to: gchar.self), gssize(bytes.count), "\(contentType)")
      }
    }
    defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
    return try Self.coding.withLock { _ in
      unsafe try Variant(owning: secret_service_encode_dbus_secret(service, value))
    }
  }

  /// Decrypts a secret of the session; returns `nil` when the value is not one.
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

  /// The lock for libsecret's session key, which one thread at a time may use.
  ///
  /// The value has no meaning. An empty value would have the same address as its lock, which ThreadSanitizer
  /// confuses.
  private static let coding = Locked(0)
}
