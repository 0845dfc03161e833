// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Who is connected to the agent, and whom it refused.
package struct AgentStatus: Sendable {
  /// The connections of one caller to one group.
  package struct Connection: Sendable {
    /// The app, or the process outside of a sandbox.
    package let caller: String
    package let group: String
    package let count: Int
  }

  /// The refusals of one caller since the agent started.
  package struct Refusal: Sendable {
    package let caller: String
    /// The reason of the last one.
    package let reason: String
    package let count: Int
  }

  package let connections: [Connection]
  package let refusals: [Refusal]

  /// Asks the running agent, or returns `nil` when none runs.
  ///
  /// It starts none.
  package static func read() async throws -> AgentStatus? {
    do {
      let bus = try await SessionBus.connect()
      guard let agent = try await bus.owner(of: AgentInterface.name) else { return nil }
      return try await status(of: agent, on: bus)
    } catch let error as BusError {
      throw error.storeError
    }
  }

  private static func status(of agent: String, on bus: SessionBus) async throws -> AgentStatus {
    do {
      let method = BusMethod(
        service: agent, path: AgentInterface.path, interface: AgentInterface.name, name: "Status")
      let message = try BusMessage(calling: method) { [] }
      let reply = try await AgentFailure.naming { try await bus.calls.call(.cancellable, message) }
      return try reply.readFromAgent(as: "(a(ssu)a(ssu))") { reply in
        AgentStatus(
          connections: rows(reply, 0).map { Connection(caller: $0.0, group: $0.1, count: $0.2) },
          refusals: rows(reply, 1).map { Refusal(caller: $0.0, reason: $0.1, count: $0.2) })
      }
    } catch let error as BusError {
      throw AgentFailure(error).storeError
    }
  }

  private static func rows(_ reply: Reply, _ index: Int) -> [(String, String, Int)] {
    reply.list(at: index) { row in
      guard let first = row.text(at: 0), let second = row.text(at: 1), let count = row.number(at: 2) else {
        return nil
      }
      return (first, second, count)
    } ?? []
  }
}
