// SPDX-License-Identifier: MIT

import CLibSecret
import Glibc
import KeychainGroupModel

/// A private D-Bus connection between two programs over a socket, without a bus.
// Unchecked: a GDBusConnection is safe to use from any thread.
@safe package final class PeerConnection: @unchecked Sendable {
  /// The calls to the other end; `nil` where this end serves.
  private let calls: BusCalls?
  private let connection: OpaquePointer
  private let closed: ConnectionCloseObserver
  private let object: ExportedObject?
  private let isOpened: Locked<Bool>

  /// Whether the other end was there when last seen.
  package var isOpen: Bool { isOpened.withLock { $0 } }

  /// What a connection serves, and what it does with signals and its end.
  package struct Handlers: Sendable {
    package var onCall: (@Sendable (IncomingCall) -> Void)?
    /// Handles a signal of the other end; it runs on GIO's thread, with the signal's member and first number.
    package var onSignal: @Sendable (String, Int?) -> Void = { _, _ in }
    package var onClose: @Sendable () -> Void = {}
    package init() {}
  }

  /// Connects over a socket, which it takes.
  ///
  /// - Parameters:
  ///   - descriptor: The socket, an end of a pair; it is closed with the connection.
  ///   - path: The object that is served.
  ///   - interface: The interface that is served; `nil` to serve none.
  package static func over(
    _ descriptor: Int32, serving path: ObjectPath, _ interface: ExportedObject.Interface?,
    _ handlers: Handlers
  ) async throws -> PeerConnection {
    let stream = try SocketStream(taking: descriptor)
    return try await withGLibCall(.waited) { call in
      unsafe g_dbus_connection_new(
        stream.pointer, nil, G_DBUS_CONNECTION_FLAGS_DELAY_MESSAGE_PROCESSING, nil, nil, PendingCall.callback,
        call.retained())
    } finish: { reply in
      let connection = unsafe try withGError { unsafe g_dbus_connection_new_finish(reply.result, $0) }
      guard let connection = unsafe connection else { throw BusError.malformed }
      return unsafe try PeerConnection(owning: connection, path, interface, handlers)
    }
  }

  /// A socket's stream, which closes the socket when nobody uses it, also when a call is cancelled before it begins.
  @safe private final class SocketStream: @unchecked Sendable {  // immutable
    let pointer: UnsafeMutablePointer<GIOStream>

    init(taking descriptor: Int32) throws {
      do {
        let socket = unsafe try withGError { unsafe g_socket_new_from_fd(descriptor, $0) }
        guard let socket = unsafe socket,
          let stream = unsafe UnsafeMutableRawPointer(g_socket_connection_factory_create_connection(socket))
        else { throw BusError.invalidValue }
        unsafe g_object_unref(UnsafeMutableRawPointer(socket))
        unsafe pointer = unsafe stream.assumingMemoryBound(to: GIOStream.self)
      } catch {
        Glibc.close(descriptor)
        throw error
      }
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }
  }

  /// Takes ownership of a connection; must run on the GLib thread.
  private init(
    owning connection: OpaquePointer, _ path: ObjectPath, _ interface: ExportedObject.Interface?,
    _ handlers: Handlers
  ) throws {
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(connection)) }
    object = try interface.map { interface in
      unsafe try ExportedObject(path, interface, on: connection) { handlers.onCall?($0) }
    }
    let isOpened = Locked(true)
    self.isOpened = isOpened
    let calls = unsafe object == nil ? try BusCalls(on: connection) : nil
    self.calls = calls
    let ended: @Sendable () -> Void = {
      let wasOpen = isOpened.withLock { isOpen in
        defer { isOpen = false }
        return isOpen
      }
      if wasOpen { handlers.onClose() }
    }
    calls?.listen(
      signal: { signal in
        if let member = signal.member { handlers.onSignal(member, signal.number) }
      }, onLoss: ended)
    closed = unsafe ConnectionCloseObserver(of: connection) { [weak calls] in
      ended()
      calls?.close()
    }
    unsafe self.connection = unsafe OpaquePointer(g_object_ref(UnsafeMutableRawPointer(connection)))
    unsafe g_dbus_connection_start_message_processing(connection)
  }

  deinit {
    nonisolated(unsafe) let connection = unsafe connection
    GLibThread.shared.perform {
      unsafe g_dbus_connection_close(connection, nil, nil, nil)
      unsafe g_object_unref(UnsafeMutableRawPointer(connection))
    }
  }

  /// Closes the connection; calls in progress end with an error.
  package func close() {
    calls?.close()
    GLibThread.shared.perform { [self] in unsafe g_dbus_connection_close(connection, nil, nil, nil) }
  }

  /// Waits until the other end has taken everything that was sent before.
  ///
  /// - Throws: `timedOut` when it doesn't within the limit.
  package func flush(within limit: Duration) async throws {
    try await Deadline.run(within: limit) {
      try await withGLibCall(.waited) { call in
        unsafe g_dbus_connection_flush(self.connection, nil, PendingCall.callback, call.retained())
      } finish: { [self] reply in
        _ = unsafe try withGError { unsafe g_dbus_connection_flush_finish(connection, reply.result, $0) }
      }
    }
  }

  /// Sends a signal.
  package func send(_ member: String, of interface: String, from path: ObjectPath, number: UInt32) throws {
    let message = try BusMessage(signal: member, of: interface, from: path.text) { [try .number(number)] }
    _ = unsafe try message.send(on: connection)
  }

  /// Makes a call; see ``BusCalls/call(_:_:next:)``.
  func call(_ rule: CancellationRule, _ message: BusMessage) async throws -> BusReply {
    guard let calls else { throw BusError.malformed }
    return try await calls.call(rule, message)
  }
}
