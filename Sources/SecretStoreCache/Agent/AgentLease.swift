// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// A refresh lease that the agent holds for this app, as long as their connection lasts.
final class AgentLease: Sendable {
  /// The leases under which the current task runs.
  @TaskLocal static var current: [AgentLease] = []

  private let key: RecordKey
  private let limit: Duration
  private let hold = Locked<(connection: AgentConnection, number: UInt32)?>(nil)

  /// Creates a lease that is not held yet.
  init(on key: RecordKey, limit: Duration) {
    self.key = key
    self.limit = limit
  }

  /// Waits for the lease, and returns whether it is held; `false` when another app held it until the limit.
  ///
  /// A cancelled wait ends at once, and the agent ends its own.
  ///
  /// - Throws: A `BusError` when the connection ended.
  func acquire(over connection: AgentConnection, limit: Duration) async throws -> Bool {
    let (key, number) = (key, connection.newNumber())
    let milliseconds = UInt32(clamping: limit.milliseconds)
    do {
      let isHeld = try await Deadline.run(within: limit + .seconds(5)) {
        try await connection.call(
          "AcquireLease", .cancellable,
          { try [.number(number), .strings(AgentInterface.attributes(key)), .number(milliseconds)] },
          reply: "(b)"
        ) { $0.bool(at: 0) }
      }
      if isHeld { hold.withLock { $0 = (connection, number) } }
      return isHeld
    } catch let error as BusError {
      throw error
    } catch {
      Self.release(number, connection)
      throw error
    }
  }

  /// Acquires the lease again over a new connection, when the agent ended with the old one.
  ///
  /// Another app may hold it by now; this waits until it lets go, or for half of the call's time.
  func renew(over connection: AgentConnection) async {
    let isLost = hold.withLock { hold in
      guard let lost = hold, !lost.connection.isOpen else { return false }
      hold = nil
      return true
    }
    guard isLost else { return }
    _ = try? await acquire(over: connection, limit: min(limit, Deadline.remaining / 2))
  }

  /// Lets go of the lease.
  func end() {
    if let (connection, number) = hold.withLock({ $0.take() }) { Self.release(number, connection) }
  }

  private static func release(_ number: UInt32, _ connection: AgentConnection) {
    Task {
      _ = try? await connection.call("ReleaseLease", .waited, { [try .number(number)] }) { _ in () }
    }
  }
}
