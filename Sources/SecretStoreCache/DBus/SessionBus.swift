// SPDX-License-Identifier: MIT

import CLibSecret
import KeychainGroupModel

/// The session bus, with or without a Secret Service on it.
///
/// It is the connection that libsecret also uses. A process has one.
package final class SessionBus: Sendable {
  let calls: BusCalls

  /// Takes ownership of a connection; must run on the GLib thread.
  private init(owning bus: OpaquePointer) throws {
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(bus)) }
    // By default GIO exits the process when the bus is lost. Instead the next call must throw.
    unsafe g_dbus_connection_set_exit_on_close(bus, 0)
    calls = unsafe try BusCalls(on: bus)
  }

  /// Connects to the session bus of the process.
  package static func connect() async throws -> SessionBus {
    try SessionBusOwner.check()
    return try await withGLibCall(.waited) { call in
      unsafe g_bus_get(G_BUS_TYPE_SESSION, nil, PendingCall.callback, call.retained())
    } finish: { reply in
      let bus = unsafe try withGError { unsafe g_bus_get_finish(reply.result, $0) }
      guard let bus = unsafe bus else { throw BusError.noOutput }
      return unsafe try SessionBus(owning: bus)
    }
  }

  /// Makes a connection to the session bus of the process that nothing else of the process uses.
  ///
  /// It ends with the result. The bus then gives up what it keeps for the connection, such as names.
  static func connectAlone() async throws -> SessionBus {
    // GIO finds the bus where no variable names it, and checks that it replies.
    _ = try await connect()
    let address = unsafe try withGError {
      unsafe g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SESSION, nil, $0)
    }
    guard let address = unsafe address else { throw BusError.noOutput }
    defer { unsafe g_free(address) }
    return try await connect(to: unsafe String(cString: address))
  }

  /// Connects to a bus by its address, which need not be the process's.
  package static func connect(to address: String) async throws -> SessionBus {
    let flags = GDBusConnectionFlags(
      rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    return try await withGLibCall(.waited) { call in
      unsafe g_dbus_connection_new_for_address(
        address, flags, nil, nil, PendingCall.callback, call.retained())
    } finish: { reply in
      let bus = unsafe try withGError {
        unsafe g_dbus_connection_new_for_address_finish(reply.result, $0)
      }
      guard let bus = unsafe bus else { throw BusError.closed }
      return unsafe try SessionBus(owning: bus)
    }
  }

  /// Returns the bus names that the bus can start a program for.
  package func activatableNames() async throws -> [String] {
    try await calls.ask("ListActivatableNames", reply: "(as)") { $0.texts(at: 0) }
  }

  /// Returns whether a program owns a bus name.
  package func hasOwner(_ name: String) async throws -> Bool {
    try await calls.ask("NameHasOwner", [.string(name)], reply: "(b)") { $0.bool(at: 0) }
  }

  /// Returns the unique name of the owner of a bus name.
  ///
  /// - Returns: The unique name, to which calls are sent; `nil` when no program owns the bus name.
  func owner(of name: String) async throws -> String? {
    do {
      return try await calls.ask("GetNameOwner", [.string(name)], reply: "(s)") { $0.text(at: 0) }
    } catch let error as BusError where error.name == "org.freedesktop.DBus.Error.NameHasNoOwner" {
      return nil
    }
  }

  /// Returns the unique name of the owner of a bus name, after starting its program if it does not run.
  ///
  /// Does not ask for a name that has no owner and that the bus can't start.
  ///
  /// - Returns: The unique name, to which calls are sent; `nil` when there is no such program.
  func ownerStartingIfNeeded(_ name: String) async throws -> String? {
    if let owner = try await owner(of: name) { return owner }
    guard try await activatableNames().contains(name) else { return nil }
    _ = try await calls.ask("StartServiceByName", [.string(name), .number(0)], reply: "(u)") {
      $0.number(at: 0)
    }
    return try await owner(of: name)
  }

  /// Returns the process ID of the owner of a bus name, as the bus sees it.
  package func process(ofOwner name: String) async throws -> Int {
    try await calls.process(ofOwner: name)
  }

  /// Pings the owner of a bus name; if there is none, the bus starts one if it can.
  ///
  /// - Throws: ``BusError/noService`` when there is none; the bus's error when its program can't be started.
  package func ping(_ name: String, path: ObjectPath) async throws {
    guard let owner = try await ownerStartingIfNeeded(name) else { throw BusError.noService }
    let method = BusMethod(
      service: owner, path: path, interface: "org.freedesktop.DBus.Peer", name: "Ping")
    _ = try await calls.call(.cancellable, BusMessage(calling: method) { [] }).read(as: "()") { _ in }
  }
}

extension BusCalls {
  /// Calls a method of the bus itself.
  func ask<Output: Sendable>(
    _ method: String, _ arguments: @autoclosure () throws -> [Variant] = [], reply: String,
    _ read: (Reply) -> Output?
  ) async throws -> Output {
    let method = BusMethod(service: SentCalls.bus, path: .bus, interface: SentCalls.bus, name: method)
    let message = try BusMessage(calling: method, arguments)
    let value = try await call(.cancellable, message).read(as: reply, read)
    guard let value else { throw BusError.malformed }
    return value
  }

  /// Returns the process ID of the owner of a bus name, as the bus sees it.
  func process(ofOwner name: String) async throws -> Int {
    try await ask("GetConnectionUnixProcessID", [.string(name)], reply: "(u)") { $0.number(at: 0) }
  }
}
