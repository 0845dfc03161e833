// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Logging
import SecretStoreCache
import TokenCacheModel

/// One app's private connection to one group.
final class GroupSession: Sendable {
  /// The app, or the process outside of a sandbox.
  let caller: String
  let group: AccessGroup
  private let backend: any DamagedRecords
  private let logger: Logger
  private let peer = Locked<PeerConnection?>(nil)
  private let limits = RequestLimits()
  let leases: SessionLeases
  let watches: SessionWatches

  init(caller: String, group: AccessGroup, backend: any DamagedRecords, logger: Logger) {
    self.caller = caller
    self.group = group
    self.backend = backend
    self.logger = logger
    leases = SessionLeases(group: group)
    watches = SessionWatches(backend: backend)
  }

  /// Serves the group on a socket, which it takes.
  ///
  /// - Parameter onClose: Runs when the app's end of the connection is closed.
  func serve(
    _ descriptor: Int32, _ interface: ExportedObject.Interface, onClose: @escaping @Sendable () -> Void
  ) async throws {
    var handlers = PeerConnection.Handlers()
    handlers.onCall = { [weak self] in self?.receive($0) }
    handlers.onClose = { [weak self] in
      self?.end()
      onClose()
    }
    let connection = try await PeerConnection.over(
      descriptor, serving: AgentInterface.groupPath, interface, handlers)
    peer.withLock { $0 = connection }
  }

  /// Ends everything that the app holds.
  private func end() {
    leases.endAll()
    watches.endAll()
    let connection = peer.withLock { $0.take() }
    withExtendedLifetime(connection) {}
  }

  /// Takes a call; runs on the GLib thread, in the order of the calls.
  private func receive(_ call: IncomingCall) {
    switch limits.begin() {
    case .refused: return call.fail("org.freedesktop.DBus.Error.LimitsExceeded", "Too many calls at once.")
    case .closed:
      logger.warning("closes a connection with too many calls", metadata: ["caller": "\(caller)"])
      peer.withLock { $0 }?.close()
      return
    case .accepted: break
    }
    let work = work(for: call)
    Task {
      await limits.untilFlushed()
      do {
        try call.reply(try await work())
      } catch let error as SecretStoreError {
        call.fail(AgentInterface.errorName(error.code), error.detail)
      } catch {
        call.fail("org.freedesktop.DBus.Error.Failed", "The call failed.")
      }
      if limits.end() { await flush() }
    }
  }

  /// Waits until the app has read its replies; one that doesn't within the limit loses the connection.
  private func flush() async {
    // Calls that wait go on in any case; without a connection their replies go nowhere.
    defer { limits.flushed() }
    guard let connection = peer.withLock({ $0 }) else { return }
    do {
      try await connection.flush(within: RequestLimits.flushTime)
    } catch {
      logger.warning("closes a connection whose app reads no replies", metadata: ["caller": "\(caller)"])
      connection.close()
    }
  }

  private typealias CallWork = @Sendable () async throws -> [Variant]

  /// Returns what a call asks for, as work that makes the values of its reply.
  ///
  /// Leases and watches begin and end at once, in the order of the calls.
  private func work(for call: IncomingCall) -> CallWork {
    let number = call.read { UInt32(exactly: $0.number(at: 0) ?? 0) ?? 0 }
    do {
      switch call.method {
      case "Records":
        let queries = try call.read { try Self.queries($0, at: 0) }
        return { [try AgentInterface.list(try await self.backend.records(matchingAny: queries))] }
      case "Get":
        let key = try call.read { try Self.key($0, at: 0) }
        return { try await self.get(key) }
      case "Set":
        return try set(call)
      case "SetAside":
        let key = try call.read { try Self.key($0, at: 0) }
        let time = call.read { $0.number(at: 1) } ?? 0
        return { [try .boolean(try await self.backend.setAside(key, since: time))] }
      case "Remove":
        let key = try call.read { try Self.key($0, at: 0) }
        return {
          try await self.backend.remove(key)
          return []
        }
      case "AcquireLease":
        let key = try call.read { try Self.key($0, at: 1) }
        let limit = Duration.milliseconds(call.read { $0.number(at: 2) } ?? 0)
        let wait = try leases.begin(number, on: key, limit: limit)
        return {
          do {
            try await self.backend.requirePlace(of: key)
          } catch {
            self.leases.end(number)
            throw error
          }
          return [try .boolean(await wait.value)]
        }
      case "ReleaseLease":
        leases.end(number)
        return { [] }
      case "StartWatch":
        try watches.start(number) { [weak self] in self?.signalChange(number) }
        return { [] }
      case "StopWatch":
        watches.stop(number)
        return { [] }
      default:
        let queries = try call.read { try Self.queries($0, at: 1) }
        return { try await self.watches.observe(number, queries) }
      }
    } catch {
      return { throw error }
    }
  }

  private func get(_ key: RecordKey) async throws -> [Variant] {
    let record = try await backend.record(for: key)
    let version = RecordVersion(try? record?.document())
    return [try AgentInterface.list(record.map { [$0] } ?? []), try .string(version.text)]
  }

  private func set(_ call: IncomingCall) throws -> CallWork {
    let key = try call.read { try Self.key($0, at: 0) }
    let (version, content) = call.read { ($0.text(at: 1) ?? "", $0.bytes(at: 2) ?? []) }
    guard content.count <= CacheDocument.maximumBytes else { throw CacheDocument.tooLarge }
    return {
      let document = content.isEmpty ? nil : try CacheDocument(stored: content)
      // The app may have requested a token since it read the record.
      await self.backend.forgetPlaces()
      let isStored = try await self.backend.update(key) { stored in
        guard RecordVersion(stored).text == version else { return false }
        stored = document
        return true
      }
      return [try .boolean(isStored)]
    }
  }

  private func signalChange(_ watch: UInt32) {
    try? peer.withLock { $0 }?.send(
      "Changed", of: AgentInterface.groupName, from: AgentInterface.groupPath, number: watch)
  }

  // MARK: Arguments

  /// The maximum number of queries of a call.
  private static let maximumQueries = 100

  private static func key(_ arguments: Reply, at index: Int) throws(SecretStoreError) -> RecordKey {
    guard let key = arguments.pairs(at: index).flatMap(AgentInterface.key) else {
      throw SecretStoreError(.invalidArgument, "The key is not one of a record that the agent serves.")
    }
    return key
  }

  private static func queries(_ arguments: Reply, at index: Int) throws(SecretStoreError) -> [RecordQuery] {
    guard let queries = arguments.list(at: index, { $0.pairs.flatMap(AgentInterface.query) }),
      queries.count <= maximumQueries
    else {
      throw SecretStoreError(
        .invalidArgument, "A query is for records that the agent doesn't serve, or there are too many.")
    }
    return queries
  }
}
