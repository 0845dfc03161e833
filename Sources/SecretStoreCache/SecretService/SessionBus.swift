// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// The session bus by itself, also where no Secret Service is on it.
///
/// It is the connection that libsecret uses, too; a process has one.
@safe final class SessionBus: @unchecked Sendable {  // the pointer is used on the GLib thread only
  private let bus: OpaquePointer

  /// Takes over a connection; on the GLib thread.
  private init(owning bus: OpaquePointer) {
    unsafe self.bus = bus
    // A lost bus is an error of the next call, never the end of the app.
    unsafe g_dbus_connection_set_exit_on_close(bus, 0)
  }

  deinit {
    nonisolated(unsafe) let bus = unsafe bus
    GLibThread.shared.perform { unsafe g_object_unref(UnsafeMutableRawPointer(bus)) }
  }

  /// Connects to the session bus of the process.
  static func connect() async throws -> SessionBus {
    try await withGLibCall(.waited) { call in
      unsafe g_bus_get(G_BUS_TYPE_SESSION, nil, PendingCall.callback, call.retained())
    } finish: { answer in
      let bus = unsafe try withGError { unsafe g_bus_get_finish(answer.result, $0) }
      guard let bus = unsafe bus else { throw BusError(domain: "secretstorecache", code: 4) }
      return unsafe SessionBus(owning: bus)
    }
  }

  /// Asks the bus itself.
  private func ask<Output: Sendable>(
    _ method: String, _ arguments: [String] = [], _ read: @escaping @Sendable (Reply) -> Output?
  ) async throws -> Output {
    let answer = try await call(
      "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", method,
      arguments, read)
    guard let answer else { throw BusError(domain: "secretstorecache", code: 5) }
    return answer
  }

  /// The names that the bus starts a program for.
  func activatableNames() async throws -> [String] {
    try await ask("ListActivatableNames") { $0.texts(at: 0) }
  }

  /// Whether a program has a name.
  func hasOwner(_ name: String) async throws -> Bool {
    try await ask("NameHasOwner", [name]) { $0.truth(at: 0) }
  }

  /// The process of the program that has a name, by the bus's counting.
  func process(ofOwner name: String) async throws -> Int {
    try await ask("GetConnectionUnixProcessID", [name]) { $0.number(at: 0) }
  }

  /// Asks the program that has a name for a sign of life; the bus starts one when there is none, if it can.
  func ping(_ name: String, path: ObjectPath) async throws {
    _ = try await call(name, path: path.text, interface: "org.freedesktop.DBus.Peer", "Ping", []) { _ in true
    }
  }

  private func call<Output: Sendable>(
    _ name: String, path: String, interface: String, _ method: String, _ arguments: [String],
    _ read: @escaping @Sendable (Reply) -> Output?
  ) async throws -> Output? {
    try await withGLibCall(.cancellable) { [self] call in
      let parameters = Variant.tuple(arguments.map(Variant.string))
      // The deadline is ours.
      unsafe g_dbus_connection_call(
        bus, name, path, interface, method, parameters.pointer, nil, G_DBUS_CALL_FLAGS_NONE, Int32.max,
        call.cancellable, PendingCall.callback, call.retained())
    } finish: { [self] answer in
      let reply = unsafe try withGError { unsafe g_dbus_connection_call_finish(bus, answer.result, $0) }
      guard let reply = unsafe reply else { return nil }
      defer { unsafe g_variant_unref(reply) }
      return unsafe read(Reply(lending: reply))
    }
  }
}
