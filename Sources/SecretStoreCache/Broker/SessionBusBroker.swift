// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
package import TokenCacheModel

/// The identity broker on the session bus: Microsoft's `microsoft-identity-broker`, or himmelblau.
///
/// A broker is started where one is installed. Where none is, nothing is sent to its name.
package struct SessionBusBroker: IdentityBroker {
  /// The bus name of every broker.
  package static let name = "com.microsoft.identity.broker1"

  private static let path: ObjectPath = "/com/microsoft/identity/broker1"
  private static let interface = "com.microsoft.identity.Broker1"
  private static let protocolVersion = "0.0"

  package init() {}

  package func send(_ request: BrokerRequest) async throws -> String? {
    do {
      return try await Deadline.run(within: request.limit) {
        guard let bus = try await Self.sessionBus() else { return nil }
        return try await Self.send(request, over: bus)
      }
    } catch let error as BusError {
      throw Self.failure(error)
    } catch let error as SecretStoreError where error.code == .timedOut {
      throw SecretStoreError.BrokerError.late
    }
  }

  /// Returns the session bus; `nil` when there is none of this user's, and so no broker.
  private static func sessionBus() async throws -> SessionBus? {
    do {
      return try await SessionBus.connect()
    } catch let error as BusError where error.meaning == .unavailable {
      return nil
    } catch let error as SecretStoreError where error.code == .serviceUnavailable {
      return nil
    }
  }

  private static func send(_ request: BrokerRequest, over bus: SessionBus) async throws -> String? {
    guard let owner = try await bus.ownerStartingIfNeeded(name) else { return nil }
    let method = BusMethod(
      service: owner, path: path, interface: interface, name: request.method.rawValue)
    let message = try BusMessage(calling: method) {
      try [
        .string(protocolVersion), .string(request.correlationID.uuidString.lowercased()),
        .string(request.text),
      ]
    }
    let reply = try await bus.calls.call(.cancellable, message)
    guard let text = try reply.read(as: "(s)", { $0.text(at: 0) }) else { throw BusError.malformed }
    return text
  }

  private static func failure(_ error: BusError) -> SecretStoreError.BrokerError {
    switch error.meaning {
    case .timedOut: .late
    case .unavailable, .notDelivered: .gone
    case .malformed: .wrongType
    case .locked, .noSuchObject, .noSession, .denied, .failed: .busError(named: error.name ?? "")
    }
  }
}
