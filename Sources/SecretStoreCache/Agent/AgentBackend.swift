// SPDX-License-Identifier: MIT

package import KeychainGroupModel
package import Logging
import TokenCacheModel

/// A group's records, as the agent serves them to this app.
///
/// The agent runs outside of the app's sandbox. It opens only the groups that the app is entitled to, holds the locks
/// and leases of the apps outside of the sandbox, and never prompts. Each call ends within the store's `timeout`,
/// except for ``withRefreshLease(on:_:)``.
package final class AgentBackend: DamagedRecords {
  /// The group that the records belong to.
  package let group: AccessGroup
  private let timeout: Duration
  private let leaseTimeout: Duration
  private let logger: Logger
  private let opened = Locked<AgentConnection?>(nil)
  /// How often a call that changes nothing is made, when agents end one after another.
  private static let attempts = 3

  /// Creates the back end of a group; it connects with the first call.
  package init(group: AccessGroup, timeout: Duration, leaseTimeout: Duration, logger: Logger) {
    self.group = group
    self.timeout = timeout
    self.leaseTimeout = leaseTimeout
    self.logger = logger
  }

  /// Reads the records that match a query: one round trip.
  package func records(matching query: RecordQuery) async throws -> [Record] {
    try await records(matchingAny: [query])
  }

  /// Reads the records that match any of several queries: one round trip.
  ///
  /// There are none of a kind that the agent doesn't serve.
  @concurrent public func records(matchingAny all: [RecordQuery]) async throws -> [Record] {
    let queries = all.filter { AgentInterface.kinds.contains($0.kind) }
    if queries.isEmpty { return [] }
    return try await reading { connection in
      try await connection.call(
        "Records", .cancellable, { [try Self.list(queries)] }, reply: "(a\(AgentInterface.recordType))"
      ) { $0.list(at: 0, AgentInterface.record) }
    }
  }

  /// Reads one record: one round trip.
  package func record(for key: RecordKey) async throws -> Record? { try await stored(key).record }

  private func stored(_ key: RecordKey) async throws -> (record: Record?, version: String) {
    try await reading { connection in
      try await connection.call(
        "Get", .cancellable, { [try .strings(AgentInterface.attributes(key))] },
        reply: "(a\(AgentInterface.recordType)s)"
      ) { reply in
        guard let records = reply.list(at: 0, AgentInterface.record), let version = reply.text(at: 1),
          records.allSatisfy({ $0.key == key })
        else { return nil }
        return (records.first, version)
      }
    }
  }

  /// Changes one record: reads it, and stores the changed one if nobody has changed it meanwhile.
  ///
  /// The agent compares and writes under the record's write lock.
  package func update<Outcome: Sendable>(
    _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
  ) async throws -> Outcome {
    try await guarded {
      while true {
        let (record, version) = try await self.stored(key)
        let (outcome, action) = try RecordChange.apply(change, to: try record?.document(), key: key)
        let content: [UInt8]
        switch action {
        case .nothing: return outcome
        case .write(let document): content = document.serialized()
        case .remove: content = []
        }
        if try await self.store(content, key, over: version) { return outcome }
        try await self.pause()
      }
    }
  }

  /// Stores content unless the record has another version by now; empty content removes it.
  private func store(_ content: [UInt8], _ key: RecordKey, over version: String) async throws -> Bool {
    try Task.checkCancellation()
    return try await connection().call(
      "Set", .waited,
      { try [.strings(AgentInterface.attributes(key)), .string(version), .bytes(content)] }, reply: "(b)"
    ) { $0.bool(at: 0) }
  }

  /// Waits for a random time, so that others who change the record go first.
  private func pause() async throws {
    let pause = Duration.milliseconds(Int.random(in: 1...10))
    guard Deadline.remaining > pause else {
      throw SecretStoreError(.lockTimedOut, "Other apps changed the record until the deadline.")
    }
    try await Task.sleep(for: pause)
  }

  /// Does nothing: the agent does so at each change.
  package func forgetPlaces() {}

  /// Does nothing: the agent does so before it gives a lease.
  package func requirePlace(of key: RecordKey) {}

  /// Sets aside the items of a record that can't be read.
  package func setAside(_ key: RecordKey, since time: Int) async throws -> Bool {
    try await guarded {
      try Task.checkCancellation()
      return try await self.connection().call(
        "SetAside", .waited,
        { try [.strings(AgentInterface.attributes(key)), .time(UInt64(max(0, time)))] }, reply: "(b)"
      ) { $0.bool(at: 0) }
    }
  }

  /// Removes one record, whatever its content.
  package func remove(_ key: RecordKey) async throws {
    try await guarded {
      try Task.checkCancellation()
      try await self.connection().call(
        "Remove", .waited, { [try .strings(AgentInterface.attributes(key))] }
      ) { _ in () }
    }
  }

  /// Runs `body` while the agent holds the refresh lease of a key for this app.
  ///
  /// The agent lets go of the lease when the app's connection ends. When the agent ends, the next one is asked for the
  /// lease before `body` reads or changes anything more. When another app has held the lease for the store's
  /// `leaseTimeout`, `body` runs without it.
  package func withRefreshLease<Outcome: Sendable>(
    on key: RecordKey, _ body: @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try Task.checkCancellation()
    let lease = AgentLease(on: key, limit: leaseTimeout)
    defer { lease.end() }
    if try await !acquire(lease) {
      CallLog.logger(or: logger).warning(
        "goes on without the refresh lease, which another app has held for too long",
        metadata: ["seconds": "\(leaseTimeout.components.seconds)"])
    }
    return try await AgentLease.$current.withValue(AgentLease.current + [lease]) { try await body() }
  }

  /// Waits for a lease until the limit, also when the agent ends meanwhile and the bus starts the next one.
  private func acquire(_ lease: AgentLease) async throws -> Bool {
    let start = ContinuousClock.now
    while true {
      let connection = try await reading { $0 }
      let left = max(.zero, leaseTimeout - (.now - start))
      do {
        return try await lease.acquire(over: connection, limit: left)
      } catch let error as BusError {
        guard error.isEndOfConnection else { throw AgentFailure(error).storeError }
        if left == .zero { return false }
      }
    }
  }

  /// Starts to watch the group for changes, by the agent's signals.
  package func watch() async -> any GroupWatch { AgentWatch(self) }

  // MARK: The connection

  /// Returns the current connection, and opens one if needed.
  func connection() async throws -> AgentConnection {
    let connection = try await openConnection()
    for lease in AgentLease.current { await lease.renew(over: connection) }
    return connection
  }

  private func openConnection() async throws -> AgentConnection {
    if let connection = opened.withLock({ $0 }), connection.isOpen { return connection }
    let connection = try await AgentConnection(to: group)
    return opened.withLock { opened in
      if let other = opened, other.isOpen { return other }
      opened = connection
      return connection
    }
  }

  /// Returns whether there is an agent that this app may call.
  ///
  /// The bus, or a sandbox's proxy, says so when there is none.
  ///
  /// - Throws: The agent's refusal, and any other error than that there is none.
  package func isReachable() async throws -> Bool {
    try await guarded {
      do {
        _ = try await self.connection()
        return true
      } catch let error as BusError
        where error.meaning == .notDelivered || error.name == BusError.accessDenied
      {
        return false
      }
    }
  }

  /// Runs a call that changes nothing, and again when the agent ends meanwhile and the bus starts the next one.
  func reading<Output>(_ body: (AgentConnection) async throws -> Output) async throws -> Output {
    try await guarded {
      for _ in 1..<Self.attempts {
        do {
          return try await body(try await self.connection())
        } catch let error as BusError where error.isEndOfConnection {
          // The bus may not know yet that the agent has ended.
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      return try await body(try await self.connection())
    }
  }

  private func guarded<Output>(_ body: () async throws -> Output) async throws -> Output {
    try await Deadline.run(within: timeout) {
      do {
        return try await body()
      } catch let error as BusError {
        throw AgentFailure(error).storeError
      }
    }
  }

  static func list(_ queries: [RecordQuery]) throws -> Variant {
    try .list(of: "a{ss}", queries.map { try .strings(AgentInterface.attributes($0)) })
  }
}
