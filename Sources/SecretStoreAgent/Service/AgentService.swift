// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
package import Logging
package import SecretStoreCache
import TokenCacheModel

/// The agent on the session bus: it opens a group for each caller that may use it.
package final class AgentService: Sendable {
  /// The limits of all connections.
  private enum Limit {
    static let connections = 512
    static let connectionsOfCaller = 64
    static let callsInProgress = 1024
    /// How long the agent runs while nobody is connected.
    static let idleTime = Duration.seconds(60)
    static let calls = RateLimit(burst: 100, perSecond: 20)
  }

  private struct State {
    var sessions: [ObjectIdentifier: GroupSession] = [:]
    var refusals: [String: (reason: String, count: UInt32)] = [:]
    var callRates = RateLimits(Limit.calls)
    var openingRates = RateLimits(Limit.calls)
    var lastUse = ContinuousClock.now
    var callsInProgress = 0
  }

  private let store: SecretStore
  private let logger: Logger
  private let identification = CallerIdentification()
  private let policy: GroupPolicy
  private let interfaces: (agent: ExportedObject.Interface, group: ExportedObject.Interface)
  private let state = Locked(State())

  /// Creates the agent.
  ///
  /// - Parameters:
  ///   - store: The store whose groups it serves.
  ///   - policy: Which groups a caller may use.
  package init(store: SecretStore, policy: GroupPolicy, logger: Logger) throws {
    self.store = store
    self.policy = policy
    self.logger = logger
    let document = String(decoding: PackageResources.org_secretstorecache_Agent1_xml, as: UTF8.self)
    interfaces = (
      try ExportedObject.Interface(AgentInterface.name, in: document),
      try ExportedObject.Interface(AgentInterface.groupName, in: document)
    )
  }

  /// Serves callers until nobody has been connected for a minute.
  ///
  /// - Throws: `serviceUnavailable` when there is no session bus, or another agent runs.
  package func run() async throws {
    let bus = try await SessionBus.connect()
    let object = try await bus.export(AgentInterface.path, interfaces.agent) { [weak self] call in
      self?.receive(call, on: bus)
    }
    defer { withExtendedLifetime(object) {} }
    guard try await bus.requestName(AgentInterface.name) else {
      throw SecretStoreError(.serviceUnavailable, "Another agent runs on this session bus.")
    }
    while true {
      while try await !isIdle(on: bus) { try await Task.sleep(for: .seconds(1)) }
      // A call that came before the name was given up still gets its reply. Another agent may have the name by then:
      // this one goes on for those who are connected.
      try await bus.releaseName(AgentInterface.name)
      await onGLibThread {}
      if isIdle() { return }
      _ = try await bus.requestName(AgentInterface.name)
    }
  }

  private func isIdle(on bus: SessionBus) async throws -> Bool {
    guard bus.isConnected else { throw SecretStoreError(.serviceUnavailable, "The session bus has ended.") }
    return isIdle()
  }

  private func isIdle() -> Bool {
    state.withLock { $0.sessions.isEmpty && $0.callsInProgress == 0 && .now - $0.lastUse >= Limit.idleTime }
  }

  /// Begins to serve a call, unless its caller makes too many; runs on the GLib thread.
  private func receive(_ call: IncomingCall, on bus: SessionBus) {
    guard let sender = call.sender else { return }
    let isAccepted = state.withLock { state in
      guard state.callsInProgress < Limit.callsInProgress, state.callRates.take(sender) else { return false }
      state.callsInProgress += 1
      return true
    }
    guard isAccepted else {
      return call.fail("org.freedesktop.DBus.Error.LimitsExceeded", "The app calls the agent too often.")
    }
    Task {
      await serve(call, from: sender, on: bus)
      state.withLock {
        $0.callsInProgress -= 1
        $0.lastUse = .now
      }
    }
  }

  private func serve(_ call: IncomingCall, from sender: String, on bus: SessionBus) async {
    do {
      let client = try await bus.client(sender)
      let caller = try identify(client)
      switch call.method {
      case "Open": try await open(call, caller, client)
      default: try status(call, caller)
      }
    } catch let error as SecretStoreError {
      call.fail(AgentInterface.errorName(error.code), error.detail)
    } catch {
      call.fail("org.freedesktop.DBus.Error.Failed", "The call failed.")
    }
  }

  private func identify(_ client: BusClient) throws(SecretStoreError) -> Caller {
    do throws(SecretStoreError) {
      guard client.user == geteuid() else {
        throw SecretStoreError(.identityMismatch, "The caller is another user's program.")
      }
      return try identification.caller(processID: client.process, pidfd: client.descriptor)
    } catch {
      noteRefusal("process \(client.process)", error)
      throw error
    }
  }

  private func open(_ call: IncomingCall, _ caller: Caller, _ client: BusClient) async throws {
    let (publisher, name) = call.read { ($0.text(at: 0) ?? "", $0.text(at: 1) ?? "") }
    let group: AccessGroup
    do throws(SecretStoreError) {
      group = try policy.group(named: name, publisher: publisher.isEmpty ? nil : publisher, for: caller)
    } catch {
      noteRefusal("\(caller)", error)
      throw error
    }
    // Programs outside of a sandbox have their limits each for itself.
    let holder = caller.app?.name ?? "\(caller) \(client.process)"
    try reserve(holder)
    let session = GroupSession(
      caller: holder, group: group, backend: store.unrestrictedBackend(for: group), logger: logger)
    let identifier = ObjectIdentifier(session)
    var ends: [Int32] = [-1, -1]
    guard
      unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else { throw SecretStoreError(.storageFailed, "The agent has no socket left.") }
    defer { close(ends[1]) }
    state.withLock { $0.sessions[identifier] = session }
    do {
      try await session.serve(ends[0], interfaces.group) { [weak self] in self?.forget(identifier) }
      logger.info("opens a group", metadata: ["caller": "\(holder)", "group": "\(group.qualifiedName)"])
      try call.reply([.handle(0), .string(caller.app?.name ?? "")], descriptor: ends[1])
    } catch {
      forget(identifier)
      throw error
    }
  }

  /// Checks that a caller may have another connection.
  private func reserve(_ caller: String) throws(SecretStoreError) {
    let isAllowed = state.withLock { state in
      let isFree =
        state.sessions.count < Limit.connections
        && state.sessions.values.count { $0.caller == caller } < Limit.connectionsOfCaller
      return isFree && state.openingRates.take(caller)
    }
    guard isAllowed else {
      throw SecretStoreError(
        .storageFailed, "The app has too many connections to the agent, or opens them too fast.")
    }
  }

  private func forget(_ identifier: ObjectIdentifier) {
    state.withLock {
      $0.sessions[identifier] = nil
      $0.lastUse = .now
    }
  }

  private func noteRefusal(_ caller: String, _ error: SecretStoreError) {
    let count = state.withLock { state -> UInt32 in
      guard state.refusals.count < 1000 || state.refusals[caller] != nil else { return 0 }
      let count = (state.refusals[caller]?.count ?? 0) &+ 1
      state.refusals[caller] = (error.detail, count)
      return count
    }
    // A caller can't fill the log: the first refusal is in it, the second, the fourth, and so on.
    guard count.nonzeroBitCount == 1 else { return }
    logger.notice(
      "refuses a group",
      metadata: ["caller": .string(caller), "reason": "\(error.detail)", "refusals": "\(count)"])
  }

  private func status(_ call: IncomingCall, _ caller: Caller) throws {
    guard caller.kind == .host else {
      throw SecretStoreError(.identityMismatch, "The agent tells this to programs outside of a sandbox only.")
    }
    let (sessions, refusals) = state.withLock { state in
      let sessions = Dictionary(grouping: state.sessions.values) { [$0.caller, $0.group.qualifiedName] }
      return (sessions.mapValues(\.count), state.refusals)
    }
    try call.reply([
      .list(
        of: "(ssu)",
        sessions.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { name, count in
          try .tuple([.string(name[0]), .string(name[1]), .number(UInt32(count))])
        }),
      .list(
        of: "(ssu)",
        refusals.sorted { $0.key < $1.key }.map { caller, refusal in
          try .tuple([.string(caller), .string(refusal.reason), .number(refusal.count)])
        }),
    ])
  }
}
