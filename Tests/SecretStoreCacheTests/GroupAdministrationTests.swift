// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Groups are made, locked, opened, removed and made anew")
  struct GroupAdministrationTests {
    private let store = ServiceSupport.store()
    private let group: AccessGroup
    private var backend: SecretServiceBackend { store.unrestrictedBackend(for: group) }

    init() throws { group = try AccessGroup(PrivateSession.uniqueGroup()) }

    private func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
      try await ServiceSupport.code(body)
    }

    private func summary() async throws -> GroupSummary? {
      try await store.groups().first { $0.group == group }
    }

    @Test("A group is made once, empty")
    func create() async throws {
      try await store.createGroup(group)
      try await store.createGroup(group)
      #expect(try await store.groups().filter { $0.group == group }.count == 1)
      #expect(try await summary()?.placement == .dedicated)
      #expect(try await backend.records(matching: .all(.groupData)).isEmpty)
    }

    @Test("A group that is not there can be neither opened, locked nor removed, and none is made")
    func absent() async throws {
      #expect(try await !store.unlockGroup(group))
      #expect(try await !store.lockGroup(group))
      #expect(try await !store.deleteGroup(group))
      #expect(try await summary() == nil)
    }

    @Test("A locked group is locked to every program, and opens again without a word")
    func lock() async throws {
      try await ServiceSupport.write("kept", to: backend)
      #expect(try await store.lockGroup(group))
      #expect(try await summary()?.isLocked == true)
      #expect(try await store.lockGroup(group))
      #expect(try await store.unlockGroup(group))
      #expect(try await summary()?.isLocked == false)
      #expect(try await store.lockGroup(group))
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A group in the default collection is not locked: that is other programs', too")
    func shared() async throws {
      var options = SecretStoreOptions()
      options.placement = .shared
      let store = SecretStore(options: options)
      try await store.createGroup(group)
      #expect(try await code { try await store.lockGroup(group) } == .invalidArgument)
      try await ServiceSupport.write("kept", to: store.unrestrictedBackend(for: group))
      #expect(try await store.deleteGroup(group))
      #expect(try await ServiceSupport.read(backend) == nil)
      #expect(try await summary() == nil)
    }

    @Test("What is removed is gone with its password, locked or not", arguments: [false, true])
    func delete(isLocked: Bool) async throws {
      try await ServiceSupport.write("lost", to: backend)
      if isLocked { try await store.lockGroup(group) }
      #expect(try await store.deleteGroup(group))
      #expect(try await summary() == nil)
      let left = try await ServiceSupport.python("print(len(items(group=sys.argv[1])))", group.name)
      #expect(left == "0\n")
      #expect(try await ServiceSupport.read(backend) == nil)
      try await ServiceSupport.write("new", to: backend)
      #expect(try await ServiceSupport.read(backend) == "new")
    }

    @Test("A group is neither removed nor made anew while one is being made", arguments: [false, true])
    func turns(isReset: Bool) async throws {
      try await ServiceSupport.write("kept", to: backend)
      let hasty = ServiceSupport.store(timeout: .seconds(2))
      let hold = try #require(try await GroupMaker.lock.acquire(patience: .seconds(5)))
      let ended = try await code {
        if isReset { try await hasty.resetGroup(group) } else { try await hasty.deleteGroup(group) }
      }
      withExtendedLifetime(hold) {}
      #expect(ended == .leaseTimedOut)
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A group that nothing can open is made anew, and no other is")
    func reset() async throws {
      #expect(try await code { try await store.resetGroup(group) } == .invalidArgument)
      try await ServiceSupport.write("kept", to: backend)
      #expect(try await code { try await store.resetGroup(group) } == .invalidArgument)
      #expect(try await ServiceSupport.read(backend) == "kept")
      try await ServiceSupport.python(
        """
        for item in items(kind="group-key", group=sys.argv[1]): item.delete()
        for c in secretstorage.get_all_collections(connection):
            if c.get_label() == sys.argv[1]: c.lock()
        """, group.name)
      #expect(try await code { _ = try await ServiceSupport.read(backend) } == .groupUnrecoverable)
      try await store.resetGroup(group)
      #expect(try await ServiceSupport.read(backend) == nil)
      try await ServiceSupport.write("new", to: backend)
      #expect(try await ServiceSupport.read(backend) == "new")
      #expect(try await store.groups().filter { $0.group == group }.count == 1)
    }

    @Test("Another app's lock in the middle of saves loses nothing that was acknowledged")
    func lockedWhileSaving() async throws {
      let backend = backend
      try await ServiceSupport.write("first", to: backend)
      let locking = Task {
        for _ in 0..<20 {
          try await ServiceSupport.store().lockGroup(group)
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      for number in 0..<60 {
        try await ServiceSupport.write("\(number)", to: backend)
        #expect(
          try await ServiceSupport.read(ServiceSupport.store().unrestrictedBackend(for: group)) == "\(number)"
        )
      }
      try await locking.value
      #expect(try await ServiceSupport.read(backend) == "59")
    }
  }
}
