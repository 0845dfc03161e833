// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Making a group where no lock is shared", .serialized)
  struct MakingTurnTests {
    private let group: AccessGroup
    private let client = SecretServiceClient(locks: LockSharing(stated: false))

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    private var turn: MakingTurn { MakingTurn(client: client, group: group) }

    private func signs() async throws -> [ObjectPath] {
      try await client.search(ItemAttributes.making(of: group)).unlocked
    }

    @Test("is done by one at a time, and leaves no sign behind")
    func oneAtATime() async throws {
      let (now, most, runs) = (Locked(0), Locked(0), Locked(0))
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<6 {
          tasks.addTask {
            let turn = MakingTurn(client: SecretServiceClient(), group: group)
            while true {
              let done: Void? = try await turn.run {
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
              try await MakingTurn.pause()
            }
          }
        }
        try await tasks.waitForAll()
      }
      #expect(most.withLock { $0 } == 1)
      #expect(runs.withLock { $0 } == 6)
      #expect(try await signs() == [])
    }

    @Test("is given up with its sign when it fails")
    func failed() async throws {
      struct Failed: Error {}
      await #expect(throws: Failed.self) { try await turn.run { throw Failed() } }
      #expect(try await signs() == [])
    }

    @Test("is not waited for when who began it has died")
    func dead() async throws {
      let login = try #require(try await client.collection(alias: "login"))
      var attributes = ItemAttributes.making(of: group)
      attributes["key"] = "dead"
      _ = try await client.createItem(
        in: login, label: "dead", attributes: attributes, schema: ItemAttributes.schema, secret: [])
      #expect(try await turn.run { true } == nil)
      try await Task.sleep(for: .seconds(MakingTurn.patience + 2))
      #expect(try await turn.run { true } == true)
      #expect(try await signs() == [])
    }

    @Test("makes one, which every app finds")
    func makes() async throws {
      let made = try await GroupMaker(client: client, group: group, policy: .dedicated).findOrMake()
      let found = try await GroupFinder(client: SecretServiceClient(), group: group).find()
      #expect(found?.collection == made.collection)
      #expect(try await signs() == [])
      #expect(try await client.search(ItemAttributes.owner(group)).unlocked.count == 2)
    }
  }
}
