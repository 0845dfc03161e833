// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A connection to the agent for one group.
final class AgentConnection: Sendable {
  private let peer: PeerConnection
  private let watches: Locked<[UInt32: @Sendable () -> Void]>
  private let numbers = Locked<UInt32>(0)

  /// Whether the agent was there when last seen.
  var isOpen: Bool { peer.isOpen }

  /// Asks the agent for a group; the bus starts the agent if it doesn't run.
  ///
  /// - Throws: `notEntitled` or `identityMismatch` when the agent refuses the group; a `BusError` when there is no
  ///   agent.
  init(to group: AccessGroup) async throws {
    let bus = try await SessionBus.connect()
    guard let agent = try await bus.ownerStartingIfNeeded(AgentInterface.name) else {
      throw BusError.noService
    }
    let method = BusMethod(
      service: agent, path: AgentInterface.path, interface: AgentInterface.name, name: "Open")
    let message = try BusMessage(calling: method) {
      try [.string(group.publisher?.name ?? ""), .string(group.name)]
    }
    let reply = try await AgentFailure.naming { try await bus.calls.call(.waited, message) }
    let index = try reply.readFromAgent(as: "(hs)") { $0.handle(at: 0) }
    guard let index, let descriptor = reply.descriptor(at: index) else { throw BusError.malformed }
    let watches = Locked<[UInt32: @Sendable () -> Void]>([:])
    var handlers = PeerConnection.Handlers()
    handlers.onSignal = { member, number in
      guard member == "Changed", let number = number.flatMap({ UInt32(exactly: $0) }) else { return }
      watches.withLock { $0[number] }?()
    }
    handlers.onClose = { for wake in watches.withLock(\.values) { wake() } }
    peer = try await PeerConnection.over(descriptor, serving: AgentInterface.groupPath, nil, handlers)
    self.watches = watches
  }

  /// Returns a number that names a lease or a watch on this connection.
  func newNumber() -> UInt32 {
    numbers.withLock { number in
      number &+= 1
      return number
    }
  }

  /// Sets what runs when a watch is signalled or the connection ends; `nil` for nothing any more.
  func setHandler(of watch: UInt32, _ wake: (@Sendable () -> Void)?) {
    watches.withLock { $0[watch] = wake }
  }

  /// Calls a method of the group.
  func call<Output: Sendable>(
    _ method: String, _ rule: CancellationRule, _ arguments: @escaping @Sendable () throws -> [Variant],
    reply signature: String = "()", _ read: (Reply) -> Output?
  ) async throws -> Output {
    let method = BusMethod(
      service: nil, path: AgentInterface.groupPath, interface: AgentInterface.groupName, name: method)
    let message = try BusMessage(calling: method, arguments)
    let reply = try await AgentFailure.naming { try await peer.call(rule, message) }
    guard let output = try reply.readFromAgent(as: signature, read) else { throw BusError.malformed }
    return output
  }
}

extension BusReply {
  /// Reads the return values of a method of the agent.
  ///
  /// - Throws: The agent's error as it is; another program's error as ``read(as:_:)`` does.
  func readFromAgent<Output>(as signature: String, _ read: (Reply) throws -> Output) throws -> Output {
    do {
      return try self.read(as: signature, read)
    } catch let error as BusError {
      throw AgentInterface.error(error.name, errorText) ?? error
    }
  }
}
