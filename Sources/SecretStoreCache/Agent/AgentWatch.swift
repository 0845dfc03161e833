// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A watch of a group through the agent, which signals each change on the app's private connection.
final class AgentWatch: GroupWatch {
  private struct Started {
    weak var connection: AgentConnection?
    var number: UInt32 = 0
  }

  private let backend: AgentBackend
  private let wakeSignal = WakeSignal()
  private let started = Locked(Started())

  init(_ backend: AgentBackend) { self.backend = backend }

  deinit {
    let (connection, number) = started.withLock { ($0.connection, $0.number) }
    guard let connection else { return }
    connection.setHandler(of: number, nil)
    Task { _ = try? await connection.call("StopWatch", .waited, { [try .number(number)] }) { _ in () } }
  }

  func wait(atMost limit: Duration) async { await wakeSignal.wait(atMost: limit) }

  func observe(_ queries: [RecordQuery]) async -> GroupObservation {
    do {
      return try await backend.reading { connection in
        let number = try await self.start(on: connection)
        return try await connection.call(
          "Observe", .cancellable, { try [.number(number), AgentBackend.list(queries)] },
          reply: "(ssa\(AgentInterface.recordType))", Self.observation)
      }
    } catch {
      return GroupObservation(error)
    }
  }

  /// Starts the watch on a connection, once.
  private func start(on connection: AgentConnection) async throws -> UInt32 {
    if let number = started.withLock({ $0.connection === connection ? $0.number : nil }) { return number }
    let number = connection.newNumber()
    connection.setHandler(of: number) { [wakeSignal] in Task { await wakeSignal.wake() } }
    try await connection.call("StartWatch", .waited, { [try .number(number)] }) { _ in () }
    started.withLock { $0 = Started(connection: connection, number: number) }
    return number
  }

  private static func observation(_ reply: Reply) -> GroupObservation? {
    guard let state = reply.text(at: 0), let placement = reply.text(at: 1),
      let records = reply.list(at: 2, AgentInterface.record)
    else { return nil }
    return switch state {
    case "open": GroupObservation(placement: placement, records: records)
    case "absent": .absent
    case "locked": GroupObservation(SecretStoreError(.groupLocked, "The group is locked."))
    case "unrecoverable":
      GroupObservation(SecretStoreError(.groupUnrecoverable, "The group's password is lost."))
    case "unavailable":
      GroupObservation(SecretStoreError(.serviceUnavailable, "The agent has no Secret Service."))
    default: nil
    }
  }
}
