// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Group administration")
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

    @Test("A group is created once, empty")
    func create() async throws {
      try await store.createGroup(group)
      try await store.createGroup(group)
      #expect(try await store.groups().filter { $0.group == group }.count == 1)
      #expect(try await summary()?.placement == .dedicated)
      #expect(try await backend.records(matching: .all(.groupData)).isEmpty)
    }

    @Test("The group's marker, its password and an app's secret are no items in which an account may be")
    func accountItems() async throws {
      try await ServiceSupport.write("kept", to: backend)
      let items = try await store.accountItems(of: group)
      let app = try AppEntitlements(app: "com.example.mail", groups: [group.name])
      try await store.secrets(for: app).set(Secret("hunter2"), service: "imap")
      #expect(items.count == 1)
      #expect(try await store.accountItems(of: group) == items)
    }

    @Test("An absent group cannot be opened, locked or removed, and none of these creates it")
    func absent() async throws {
      #expect(try await !store.unlockGroup(group))
      #expect(try await !store.lockGroup(group))
      #expect(try await !store.deleteGroup(group))
      #expect(try await summary() == nil)
    }

    @Test("A locked group is locked for every program and opens again without a dialog")
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

    @Test("A group in the default collection is not locked, since other programs use the collection")
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

    @Test("A removed group, locked or not, loses its password, too", arguments: [false, true])
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

    @Test("Removal from the default collection deletes items in batches, the marker last")
    func parts() async throws {
      var options = SecretStoreOptions()
      options.placement = .shared
      let store = SecretStore(options: options)
      try await store.createGroup(group)
      let backend = store.unrestrictedBackend(for: group)
      for number in 0..<5 {
        try await backend.update(.groupData("\(number)")) { $0 = CacheDocument() }
      }
      let remover = GroupRemover(
        client: SecretServiceClient(), group: group, promptPolicy: .never, itemsInPart: 2)
      for left in [3, 1] {
        let part = try await remover.removePart()
        #expect(part.existed && !part.isLast)
        #expect(try await backend.records(matching: .all(.groupData)).count == left)
        #expect(try await summary()?.placement == .shared)
      }
      #expect(try await store.deleteGroup(group))
      #expect(try await summary() == nil)
      #expect(try await !store.deleteGroup(group))
    }

    @Test("One search finds what several parts remove, and a record written meanwhile goes, too")
    func oneSearch() async throws {
      var options = SecretStoreOptions()
      options.placement = .shared
      let backend = SecretStore(options: options).unrestrictedBackend(for: group)
      for number in 0..<5 { try await backend.update(.groupData("\(number)")) { $0 = CacheDocument() } }
      let remover = GroupRemover(
        client: SecretServiceClient(), group: group, promptPolicy: .never, itemsInPart: 2)
      var part = try await remover.removePart()
      #expect(part.found.items.count == 3)
      try await backend.update(.groupData("meanwhile")) { $0 = CacheDocument() }
      for left in [1, 0] {
        part = try await remover.removePart(after: part)
        #expect(part.existed && !part.isLast && part.found.items.count == left)
      }
      #expect(try await backend.records(matching: .all(.groupData)).map(\.key) == [.groupData("meanwhile")])
      part = try await remover.removePart(after: part)
      #expect(part.existed && !part.isLast)
      #expect(try await summary() == nil)
      #expect(try await remover.removePart(after: part).isLast)
    }

    @Test("A removal that keeps finding items ends, and says how many it has found last")
    func endless() async throws {
      var options = SecretStoreOptions()
      options.placement = .shared
      let store = SecretStore(options: options)
      let backend = store.unrestrictedBackend(for: group)
      for number in 0..<10 { try await backend.update(.groupData("\(number)")) { $0 = CacheDocument() } }
      let error = await #expect(throws: SecretStoreError.self) {
        try await store.deleteGroup(group, .never, maximumSearches: 0)
      }
      #expect(error?.code == .storageFailed)
      #expect(error?.detail.hasSuffix("Left of the access group \(group): up to 2 items in Login.") == true)
      #expect(try await backend.records(matching: .all(.groupData)).count == 2)
      #expect(try await store.deleteGroup(group))
    }

    @Test(
      "A removal ends only with a search that finds nothing", arguments: [GroupPlacement.shared, .dedicated])
    func lastSearch(placement: GroupPlacement) async throws {
      var options = SecretStoreOptions()
      options.placement = placement
      let store = SecretStore(options: options)
      let remover = GroupRemover(client: SecretServiceClient(), group: group, promptPolicy: .never)
      for _ in 0..<2 {
        try await ServiceSupport.write("another app's", to: store.unrestrictedBackend(for: group))
        let part = try await remover.removePart()
        #expect(part.existed && !part.isLast)
      }
      let part = try await remover.removePart()
      #expect(!part.existed && part.isLast)
    }

    @Test("An item without attributes goes although the daemon shows another schema for it since")
    func reloadedItem() async throws {
      try await ServiceSupport.write("kept", to: backend)
      let client = SecretServiceClient()
      let found = try await client.search(ItemAttributes.all(ServiceSupport.note, in: group)).unlocked
      let item = try #require(found.first)
      try await client.setAttributes([:], of: item)
      let withoutOwner = try await ItemsWithoutOwner(of: group, client)
      #expect(Set(withoutOwner.own.keys) == [item])
      // gnome-keyring shows this one after it has read the keyring's file again.
      let schema = [SecretServiceClient.schemaAttribute: "org.freedesktop.Secret.Generic"]
      try await client.setAttributes(schema, of: item)
      let remover = GroupRemover(client: client, group: group, promptPolicy: .never)
      let (removed, left) = try await remover.removeItems([item], withoutOwner, beside: [])
      #expect(removed == 1 && left == [])
      #expect(try await !client.items(of: item.parent).contains(item))
    }

    @Test("A group is neither removed nor created while another app creates it", arguments: [false, true])
    func turns(isReset: Bool) async throws {
      try await ServiceSupport.write("kept", to: backend)
      let hasty = ServiceSupport.store(timeout: .seconds(2))
      let hold = try #require(try await GroupCreator.lock.acquire(timeout: .seconds(5)))
      let ended = try await code {
        if isReset { try await hasty.resetGroup(group) } else { try await hasty.deleteGroup(group) }
      }
      withExtendedLifetime(hold) {}
      #expect(ended == .lockTimedOut)
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("Only a group that nothing can unlock is created anew")
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

    @Test("A lock by another app during saves loses no acknowledged write")
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
