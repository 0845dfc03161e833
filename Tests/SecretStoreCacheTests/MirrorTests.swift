// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheContract

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("The mirror", .serialized)
  struct MirrorTests {
    private let group: AccessGroup
    private let mirrored: SecretServiceBackend
    private let sibling: SecretServiceBackend

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
      mirrored = Self.store().unrestrictedBackend(for: group)
      sibling = SecretStore().unrestrictedBackend(for: group)
    }

    private static func store(flatpak: ProcessFacts.Flatpak = .none) -> SecretStore {
      struct Facts: ProcessFactsSource {
        let flatpak: ProcessFacts.Flatpak
        func processFacts() -> ProcessFacts {
          var facts = ProcessFacts(processID: getpid())
          facts.flatpak = flatpak
          return facts
        }
      }
      var options = SecretStoreOptions()
      options.keepsMirror = true
      options.processFacts = Facts(flatpak: flatpak)
      return SecretStore(options: options)
    }

    private func calls(_ backend: SecretServiceBackend, reading text: String?) async throws -> [String] {
      try await BusMonitor.members {
        let read = try await ServiceSupport.read(backend)
        #expect(read == text)
      }
    }

    /// Reads until the record is in memory: signals of what was done before may still be on their way.
    private func warm(_ text: String) async throws {
      #expect(try await ServiceSupport.read(mirrored) == text)
      try await settled { try await calls(mirrored, reading: text) == [] }
    }

    @Test("keeps the back end contract", arguments: TokenCacheContract.cases)
    func contract(_ rule: ContractCase) async throws {
      let group = try AccessGroup(PrivateSession.uniqueGroup())
      try await rule.check(
        ContractEnvironment(
          backend: Self.store().unrestrictedBackend(for: group),
          other: Self.store().unrestrictedBackend(for: group),
          plant: { try await PlantedItem.store($0, for: $1, in: group) }))
    }

    @Test("answers a second read without a call, and the first after each write of a sibling with one")
    func sibling() async throws {
      for text in ["first", "second", "third"] {
        try await ServiceSupport.write(text, to: sibling)
        #expect(try await ServiceSupport.read(mirrored) == text)
        try await settled { try await calls(mirrored, reading: text) == [] }
      }
      try await sibling.remove(ServiceSupport.note)
      #expect(try await ServiceSupport.read(mirrored) == nil)
    }

    @Test("is told of a removal by the record's version, and not only by the provider's signals")
    func removal() async throws {
      try await ServiceSupport.write("removed", to: sibling)
      let version = try VersionFile(of: ServiceSupport.note, in: group)
      let before = try #require(version.read())
      try await sibling.remove(ServiceSupport.note)
      let after = try #require(version.read())
      #expect(after != before)
      #expect(after.isSettled)
    }

    @Test("knows that there is nothing, until there is")
    func absent() async throws {
      let document = try ServiceSupport.document("other")
      try await sibling.update(.groupData("other")) { $0 = document }
      #expect(try await ServiceSupport.read(mirrored) == nil)
      #expect(try await calls(mirrored, reading: nil) == [])
      try await ServiceSupport.write("there", to: sibling)
      #expect(try await ServiceSupport.read(mirrored) == "there")
    }

    @Test("is for all back ends of a store")
    func shared() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      let store = Self.store()
      #expect(try await ServiceSupport.read(store.unrestrictedBackend(for: group)) == "kept")
      #expect(try await calls(store.unrestrictedBackend(for: group), reading: "kept") == [])
    }

    @Test("keeps nothing of a record whose writer has died, until the next one has read it")
    func deadWriter() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      try await warm("kept")
      try VersionFile(of: ServiceSupport.note, in: group).unsettle()
      for _ in 0..<2 { #expect(try await calls(mirrored, reading: "kept") != []) }
      try await sibling.update(ServiceSupport.note) { _ in }
      try await warm("kept")
    }

    @Test("keeps nothing that was written while it was read")
    func writtenMeanwhile() async throws {
      try await ServiceSupport.write("old", to: sibling)
      let mirror = Mirror(client: SecretServiceClient(), group: group)
      let record = try await mirror.reading(ServiceSupport.note) { [sibling] in
        let read = try await sibling.record(for: ServiceSupport.note)
        try await ServiceSupport.write("new", to: sibling)
        return read
      }
      #expect(record != nil)
      #expect(mirror.lookUp(ServiceSupport.note) == nil)
    }

    @Test("is empty after the group was locked or deleted by a sibling, or the daemon has ended")
    func emptied() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      try await warm("kept")
      try await SecretStore().lockGroup(group)
      #expect(try await calls(mirrored, reading: "kept") != [])
      try await warm("kept")
      try await PrivateSession.keyring("restart", "--locked")
      let code = try await ServiceSupport.code { _ = try await ServiceSupport.read(mirrored) }
      try await PrivateSession.keyring("restart")
      #expect(code == .groupLocked)
      try await warm("kept")
      try await SecretStore().deleteGroup(group)
      #expect(try await ServiceSupport.read(mirrored) == nil)
    }

    @Test("is empty a moment after another program has locked the group or deleted an item")
    func otherPrograms() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      try await warm("kept")
      try await ServiceSupport.python(
        """
        for c in secretstorage.get_all_collections(connection):
            if c.get_label() == sys.argv[1]: c.lock()
        """, group.name)
      try await settled { try await calls(mirrored, reading: "kept") != [] }
      try await warm("kept")
      try await ServiceSupport.python(
        """
        for item in items(kind="group-data", group=sys.argv[1]): item.delete()
        """, group.name)
      try await settled { try await ServiceSupport.read(mirrored) == nil }
    }

    private func settled(_ holds: () async throws -> Bool) async throws {
      for _ in 0..<100 {
        if try await holds() { return }
        try await Task.sleep(for: .milliseconds(50))
      }
      Issue.record("it never came to that")
    }

    @Test("is not kept in a sandbox, whose versions nobody else sees")
    func sandbox() async throws {
      try await ServiceSupport.write("kept", to: sibling)
      let backend = Self.store(flatpak: .app("com.contoso.Mail")).unrestrictedBackend(for: group)
      for _ in 0..<3 { #expect(try await calls(backend, reading: "kept") != []) }
    }

    @Test("never gives what is older than what was acknowledged, however fast a sibling writes")
    func hammered() async throws {
      let acknowledged = Locked(0)
      let (mirrored, sibling, rounds) = (mirrored, sibling, 150)
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
              seen = try await ServiceSupport.read(mirrored).flatMap { Int($0) } ?? 0
              if seen < least { Issue.record("read \(seen) after \(least) was acknowledged") }
              await Task.yield()  // a read from memory suspends nowhere
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
