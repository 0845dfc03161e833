// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheContract

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Record cache", .serialized)
  struct RecordCacheTests {
    private let group: AccessGroup
    private let recordCached: SecretServiceBackend
    private let sibling: SecretServiceBackend

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
      recordCached = Self.store().unrestrictedBackend(for: group)
      sibling = SecretStore().unrestrictedBackend(for: group)
    }

    private static func store(
      flatpak: ProcessFacts.Flatpak = .none, leaseTimeout: Duration = .seconds(30)
    ) -> SecretStore {
      struct Facts: ProcessFactsSource {
        let flatpak: ProcessFacts.Flatpak
        func processFacts() -> ProcessFacts {
          var facts = ProcessFacts(processID: getpid())
          facts.flatpak = flatpak
          return facts
        }
      }
      var options = SecretStoreOptions()
      options.cachesRecords = true
      options.leaseTimeout = leaseTimeout
      options.processFacts = Facts(flatpak: flatpak)
      return SecretStore(options: options)
    }

    private func calls(_ backend: SecretServiceBackend, reading text: String?) async throws -> [String] {
      try await BusMonitor.members {
        let read = try await ServiceSupport.read(backend)
        #expect(read == text)
      }
    }

    /// Reads until the record is in memory, because signals of earlier changes may still arrive.
    private func warm(_ text: String) async throws {
      #expect(try await ServiceSupport.read(recordCached) == text)
      try await settled { try await calls(recordCached, reading: text) == [] }
    }

    @Test("It meets the back end contract", arguments: TokenCacheContract.cases)
    func contract(_ rule: ContractCase) async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      func backend() -> SecretServiceBackend {
        Self.store(leaseTimeout: rule.leaseTimeout).unrestrictedBackend(for: group)
      }
      try await rule.check(
        ContractEnvironment(
          backend: backend(), other: backend(),
          storeRaw: { try await PlantedItem.store($0, for: $1, in: group) },
          killLeaseHolder: { try await ServiceSupport.killLeaseHolder(of: $0, in: group) }))
    }

    @Test("A second read costs no call, and the first read after a sibling's write costs one")
    func sibling() async throws {
      for text in ["first", "second", "third"] {
        try await ServiceSupport.write(text, to: sibling)
        #expect(try await ServiceSupport.read(recordCached) == text)
        try await settled { try await calls(recordCached, reading: text) == [] }
      }
      try await sibling.remove(ServiceSupport.note)
      #expect(try await ServiceSupport.read(recordCached) == nil)
    }

    @Test("The record's version reports a removal without the provider's signals")
    func removal() async throws {
      try await ServiceSupport.write("removed", to: sibling)
      let version = try VersionFile(of: ServiceSupport.note, in: group)
      let before = try #require(version.read())
      try await sibling.remove(ServiceSupport.note)
      let after = try #require(version.read())
      #expect(after != before)
      #expect(after.isSettled)
    }

    @Test("An absent record is cached until it is created")
    func absent() async throws {
      let document = try ServiceSupport.document("other")
      try await sibling.update(.groupData("other")) { $0 = document }
      #expect(try await ServiceSupport.read(recordCached) == nil)
      #expect(try await calls(recordCached, reading: nil) == [])
      try await ServiceSupport.write("there", to: sibling)
      #expect(try await ServiceSupport.read(recordCached) == "there")
    }

    @Test("All back ends of a store share it")
    func shared() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      let store = Self.store()
      #expect(try await ServiceSupport.read(store.unrestrictedBackend(for: group)) == "kept")
      #expect(try await calls(store.unrestrictedBackend(for: group), reading: "kept") == [])
    }

    @Test("A record whose writer exited is not cached until the next read")
    func deadWriter() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      try await warm("kept")
      try VersionFile(of: ServiceSupport.note, in: group).unsettle()
      for _ in 0..<2 { #expect(try await calls(recordCached, reading: "kept") != []) }
      try await sibling.update(ServiceSupport.note) { _ in }
      try await warm("kept")
    }

    @Test("A record written during its read is not cached")
    func writtenMeanwhile() async throws {
      try await ServiceSupport.write("old", to: sibling)
      let recordCache = RecordCache(client: SecretServiceClient(), group: group)
      let record = try await recordCache.readThrough(ServiceSupport.note) { [sibling] in
        let read = try await sibling.record(for: ServiceSupport.note)
        try await ServiceSupport.write("new", to: sibling)
        return read
      }
      #expect(record != nil)
      #expect(recordCache.lookUp(ServiceSupport.note) == nil)
    }

    @Test("It is empty after a sibling locks or deletes the group, or the daemon exits")
    func emptied() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      try await warm("kept")
      try await SecretStore().lockGroup(group)
      #expect(try await calls(recordCached, reading: "kept") != [])
      try await warm("kept")
      try await PrivateSession.keyring("restart", "--locked")
      let code = try await ServiceSupport.code { _ = try await ServiceSupport.read(recordCached) }
      try await PrivateSession.keyring("restart")
      #expect(code == .groupLocked)
      try await warm("kept")
      try await SecretStore().deleteGroup(group)
      #expect(try await ServiceSupport.read(recordCached) == nil)
    }

    @Test("It is empty soon after another program locks the group or deletes an item")
    func otherPrograms() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      try await warm("kept")
      try await ServiceSupport.python(
        """
        for c in secretstorage.get_all_collections(connection):
            if c.get_label() == sys.argv[1]: c.lock()
        """, group.name)
      try await settled { try await calls(recordCached, reading: "kept") != [] }
      try await warm("kept")
      try await ServiceSupport.python(
        """
        for item in items(kind="group-data", group=sys.argv[1]): item.delete()
        """, group.name)
      try await settled { try await ServiceSupport.read(recordCached) == nil }
    }

    private func settled(_ holds: () async throws -> Bool) async throws {
      for _ in 0..<100 {
        if try await holds() { return }
        try await Task.sleep(for: .milliseconds(50))
      }
      Issue.record("the condition never held")
    }

    @Test("It is off in a sandbox, whose versions no other process sees")
    func sandbox() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      let backend = Self.store(flatpak: .app("com.contoso.Mail")).unrestrictedBackend(for: group)
      for _ in 0..<3 { #expect(try await calls(backend, reading: "kept") != []) }
    }

    @Test("It never returns data older than an acknowledged write, however fast a sibling writes")
    func hammered() async throws {
      let acknowledged = Locked(0)
      let (recordCached, sibling, rounds) = (recordCached, sibling, 150)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for number in 1...rounds {
            try await ServiceSupport.write("\(number)", to: sibling)
            acknowledged.withLock { $0 = number }
          }
        }
        for _ in 0..<2 {
          group.addTask {
            var seen = 0
            while seen < rounds {
              let least = acknowledged.withLock { $0 }
              seen = try await ServiceSupport.read(recordCached).flatMap { Int($0) } ?? 0
              if seen < least { Issue.record("read \(seen) after \(least) was acknowledged") }
              await Task.yield()  // a read from memory does not suspend
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
