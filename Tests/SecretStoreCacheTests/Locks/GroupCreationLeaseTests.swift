// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Group creation lease", .serialized)
  struct GroupCreationLeaseTests {
    private let group: AccessGroup
    private let client = SecretServiceClient(locks: LockSharing(stated: false))

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    private var lease: GroupCreationLease { GroupCreationLease(client: client, group: group) }

    private func leaseItems() async throws -> [ObjectPath] {
      try await client.search(ItemAttributes.creationLease(of: group)).unlocked
    }

    @Test("One app creates a group at a time, and the lease leaves no item")
    func oneAtATime() async throws {
      let (now, most, runs) = (Locked(0), Locked(0), Locked(0))
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<6 {
          tasks.addTask {
            let lease = GroupCreationLease(client: SecretServiceClient(), group: group)
            while true {
              let done: Void? = try await lease.run { _ in
                let count = now.withLock { now in
                  now += 1
                  return now
                }
                most.withLock { $0 = max($0, count) }
                runs.withLock { $0 += 1 }
                try await Task.sleep(for: .milliseconds(30))
                now.withLock { $0 -= 1 }
              }
              if done != nil { return }
              try await GroupCreationLease.pause()
            }
          }
        }
        try await tasks.waitForAll()
      }
      #expect(most.withLock { $0 } == 1)
      #expect(runs.withLock { $0 } == 6)
      #expect(try await leaseItems() == [])
    }

    @Test("A failed creation releases the lease")
    func failed() async throws {
      struct Failed: Error {}
      await #expect(throws: Failed.self) { try await lease.run { (_) -> Void? in throw Failed() } }
      #expect(try await leaseItems() == [])
    }

    @Test("The lease of a process that has exited expires")
    func dead() async throws {
      let login = try #require(try await client.collection(alias: "login"))
      let attributes = ItemAttributes.recycled(in: group).merging(ItemAttributes.creationLease(of: group)) {
        $1
      }
      _ = try await client.createItem(
        in: login, label: "dead", attributes: attributes, schema: ItemAttributes.schema, secret: [])
      #expect(try await lease.run { _ in true } == nil)
      try await Task.sleep(for: .seconds(GroupCreationLease.expiry + 2))
      // On a busy machine the write of a lease can take too long to be certain; then the caller tries again.
      try await Deadline.run(within: .seconds(60)) {
        while try await lease.run({ _ in true }) == nil { try await GroupCreationLease.pause() }
      }
      #expect(try await leaseItems() == [])
    }

    @Test("Renewal extends the lease unless another app has acquired it")
    func renewed() async throws {
      let done: Bool? = try await lease.run { renewLease in
        let leaseItem = try #require(try await leaseItems().first)
        let before = try await client.modified(leaseItem)
        try await Task.sleep(for: .seconds(2))
        #expect(try await renewLease())
        #expect(try await client.modified(leaseItem) > before)
        _ = try await client.deleteItem(leaseItem)
        return try await renewLease() ? true : nil
      }
      #expect(done == nil)
    }

    @Test("A lease that another app acquires during the creation leaves the new collection without a marker")
    func taken() async throws {
      let slow = GroupCreator(client: client, group: group, policy: .dedicated)
      let before = try await client.collections().count
      let isPlaceMade = Locked(false)
      let made: GroupLocation? = try await lease.run { renewLease in
        try await slow.makeAndMark {
          let count = try await client.collections().count
          isPlaceMade.withLock { $0 = count > before }
          for leaseItem in try await leaseItems() { _ = try await client.deleteItem(leaseItem) }
          return try await renewLease()
        }
      }
      #expect(made == nil && isPlaceMade.withLock { $0 })
      #expect(try await GroupFinder(client: client, group: group).find() == nil)
    }

    @Test("The creator makes one group, which every app finds")
    func makes() async throws {
      let made = try await GroupCreator(client: client, group: group, policy: .dedicated).findOrMake()
      let found = try await GroupFinder(client: SecretServiceClient(), group: group).find()
      #expect(found?.collection == made.location.collection)
      #expect(try await leaseItems() == [])
      #expect(try await client.search(ItemAttributes.owner(group)).unlocked.count == 2)
    }
  }
}
