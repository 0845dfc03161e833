// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Logging
import SecretStoreCache
import Testing
import TokenCacheContract

extension ServiceTests.Agent {
  @Suite("Back end contract over the agent", .serialized)
  struct AgentBackendTests {
    @Test("The contract holds over the agent", arguments: TokenCacheContract.cases)
    func keeps(_ rule: ContractCase) async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      try await rule.check(
        ContractEnvironment(
          backend: backend(group, rule), other: backend(group, rule),
          storeRaw: { try await PlantedItem.store($0, for: $1, in: group) },
          killLeaseHolder: { try await ServiceSupport.killLeaseHolder(of: $0, in: group) }))
    }

    @Test(
      "The contract holds between an app over the agent and an app without it",
      arguments: TokenCacheContract.cases)
    func keepsBesideOthers(_ rule: ContractCase) async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      var options = SecretStoreOptions()
      options.leaseTimeout = rule.leaseTimeout
      try await rule.check(
        ContractEnvironment(
          backend: backend(group, rule), other: SecretStore(options: options).unrestrictedBackend(for: group),
          storeRaw: { try await PlantedItem.store($0, for: $1, in: group) },
          killLeaseHolder: { try await ServiceSupport.killLeaseHolder(of: $0, in: group) }))
    }

    @Test("A sign-out over the agent is not checked in keyrings that the app can't see")
    func checksNothing() async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      try await SecretStore().createGroup(group)
      let path = try await ServiceSupport.python(
        """
        from keyrings import Keyrings
        keyring = Keyrings(connection).make("com.example.other", "other")
        keyring.create_item("planted", {"kind": "credentials", "group": sys.argv[1], "publisher": ""}, b"hunter2")
        keyring.lock()
        print(keyring.collection_path, end="")
        """, group.name)
      await #expect(throws: SecretStoreError(.groupLocked, "")) {
        try await SecretStore().completeSignOut(of: nil, in: group)
      }
      var options = SecretStoreOptions()
      options.transport = .agent
      try await SecretStore(options: options).completeSignOut(of: nil, in: group)
      try await ServiceSupport.python(
        """
        from keyrings import Keyrings
        Keyrings(connection).open(sys.argv[1], "other")
        secretstorage.Collection(connection, sys.argv[1]).delete()
        """, path)
    }

    @Test("A lease is waited for although the agent ends meanwhile", arguments: [true, false])
    func waitsAtTheNextAgent(isConnected: Bool) async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      let direct = SecretStore().unrestrictedBackend(for: group)
      let backend = AgentBackend(group: group, timeout: .seconds(10), leaseTimeout: .seconds(10), logger: log)
      let isHeld = Locked(false)
      // It starts the agent. One that is stopped ends while the app connects.
      let other = AgentBackend(group: group, timeout: .seconds(10), leaseTimeout: .seconds(10), logger: log)
      #expect(try await (isConnected ? backend : other).isReachable())
      if !isConnected { try await signalAgent(SIGSTOP) }
      try await withThrowingTaskGroup { tasks in
        let (began, continuation) = AsyncStream.makeStream(of: Void.self)
        tasks.addTask {
          try await direct.withRefreshLease(on: Self.key) {
            isHeld.withLock { $0 = true }
            continuation.finish()
            try await Task.sleep(for: .seconds(2))
            isHeld.withLock { $0 = false }
          }
        }
        for await _ in began {}
        tasks.addTask {
          try await backend.withRefreshLease(on: Self.key) { #expect(!isHeld.withLock { $0 }) }
        }
        try await Task.sleep(for: .seconds(1))
        try await self.signalAgent(SIGKILL)
        try await tasks.waitForAll()
      }
    }

    @Test("A lease that is lost with the agent is taken again before the next call")
    func takesALostLeaseAgain() async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      let backend = AgentBackend(group: group, timeout: .seconds(10), leaseTimeout: .seconds(10), logger: log)
      try await backend.withRefreshLease(on: Self.key) {
        try await signalAgent(SIGKILL)
        _ = try await backend.record(for: Self.key)
        let lock = FileLock(.refresh, of: Self.key, in: group)
        #expect(try await lock.acquire(timeout: .milliseconds(200)) == nil)
      }
    }

    private func signalAgent(_ number: Int32) async throws {
      let agent = try await SessionBus.connect().client(AgentInterface.name)
      kill(agent.process, number)
    }

    private static let key = RecordKey(
      kind: .legacy, environment: "id.contoso.com", clientID: "c", key: "k")

    @Test("A call that is cancelled while it connects leaves no descriptor open")
    func closesItsSocket() async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      let first = AgentBackend(group: group, timeout: .seconds(10), leaseTimeout: .seconds(1), logger: log)
      _ = try await first.record(for: Self.key)
      let before = try openDescriptors()
      for step in 0..<60 {
        let call = Task {
          let backend = AgentBackend(
            group: group, timeout: .seconds(10), leaseTimeout: .seconds(1), logger: log)
          return try await backend.record(for: Self.key)
        }
        try await Task.sleep(for: .microseconds(step * 100))
        call.cancel()
        _ = await call.result
      }
      try await Task.sleep(for: .seconds(1))
      #expect(try openDescriptors() <= before + 5)
      withExtendedLifetime(first) {}
    }

    private var log: Logger { Logger(label: "test") }

    private func openDescriptors() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private func backend(_ group: AccessGroup, _ rule: ContractCase) throws -> AgentBackend {
      _ = try PrivateSession.control
      return AgentBackend(
        group: group, timeout: .seconds(10), leaseTimeout: rule.leaseTimeout, logger: Logger(label: "test"))
    }
  }
}
