// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// A program on the session bus, as the bus knows it.
package struct BusClient: Sendable {
  /// The process that connected; another process may have its connection by now.
  package let process: Int32
  package let user: UInt32
  /// A descriptor of the process, where the bus has one; it is closed with this value.
  package var descriptor: Int32? { pidfd?.file }
  private let pidfd: Descriptor?

  private final class Descriptor: Sendable {
    let file: Int32
    init(_ file: Int32) { self.file = file }
    deinit { close(file) }
  }

  init(process: Int32, user: UInt32, descriptor: Int32?) {
    self.process = process
    self.user = user
    pidfd = descriptor.map(Descriptor.init)
  }
}

extension SessionBus {
  /// Whether the bus is still there.
  package var isConnected: Bool { calls.isConnected }

  /// Serves an object as long as the result lives.
  package func export(
    _ path: ObjectPath, _ interface: ExportedObject.Interface,
    _ handler: @escaping @Sendable (IncomingCall) -> Void
  ) async throws -> ExportedObject {
    try await onGLibThread { [calls] in Result { try calls.export(path, interface, handler) } }.get()
  }

  /// Calls a handler when the bus is lost, as long as the result lives.
  func observeLoss(_ handler: @escaping @Sendable () -> Void) async -> ConnectionCloseObserver {
    await onGLibThread { [calls] in calls.observeLoss(handler) }
  }

  /// Requests a name without waiting for it, and returns whether this program owns it from now on, and did not before.
  package func requestName(_ name: String) async throws -> Bool {
    let doNotQueue: UInt32 = 4  // D-Bus Specification, "org.freedesktop.DBus.RequestName"
    let reply = try await calls.ask("RequestName", [.string(name), .number(doNotQueue)], reply: "(u)") {
      $0.number(at: 0)
    }
    return reply == 1
  }

  /// Gives a name up.
  package func releaseName(_ name: String) async throws {
    _ = try await calls.ask("ReleaseName", [.string(name)], reply: "(u)") { $0.number(at: 0) }
  }

  /// Returns the program behind a unique name.
  package func client(_ name: String) async throws -> BusClient {
    let method = BusMethod(
      service: SentCalls.bus, path: .bus, interface: SentCalls.bus, name: "GetConnectionCredentials")
    let reply = try await calls.call(.cancellable, BusMessage(calling: method) { [try .string(name)] })
    let (process, user, index) = try reply.read(as: "(a{sv})") { credentials in
      (
        credentials.property("ProcessID") { $0.number }, credentials.property("UnixUserID") { $0.number },
        credentials.property("ProcessFD") { $0.handle }
      )
    }
    guard let process = process.flatMap({ Int32(exactly: $0) }),
      let user = user.flatMap({ UInt32(exactly: $0) })
    else { throw SecretStoreError(.identityMismatch, "The bus does not know the caller's process.") }
    return BusClient(process: process, user: user, descriptor: index.flatMap(reply.descriptor))
  }
}
