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
              let done: Void? = try await turn.run { _ in
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
      await #expect(throws: Failed.self) { try await turn.run { (_) -> Void? in throw Failed() } }
      #expect(try await signs() == [])
    }

    @Test("is not waited for when who began it has died")
    func dead() async throws {
      let login = try #require(try await client.collection(alias: "login"))
      var attributes = ItemAttributes.making(of: group)
      attributes["key"] = "dead"
      _ = try await client.createItem(
        in: login, label: "dead", attributes: attributes, schema: ItemAttributes.schema, secret: [])
      #expect(try await turn.run { _ in true } == nil)
      try await Task.sleep(for: .seconds(MakingTurn.patience + 2))
      #expect(try await turn.run { _ in true } == true)
      #expect(try await signs() == [])
    }

    @Test("holds for longer when it is renewed, and not any more when somebody has taken it")
    func renewed() async throws {
      let done: Bool? = try await turn.run { holds in
        let sign = try #require(try await signs().first)
        let before = try await client.modified(sign)
        try await Task.sleep(for: .seconds(2))
        #expect(try await holds())
        #expect(try await client.modified(sign) > before)
        _ = try await client.deleteItem(sign)
        return try await holds() ? true : nil
      }
      #expect(done == nil)
    }

    @Test("that was taken by another while a place was made leaves that place without a marker")
    func taken() async throws {
      let slow = GroupMaker(client: client, group: group, policy: .dedicated)
      let before = try await client.collections().count
      let isPlaceMade = Locked(false)
      let made: GroupLocation? = try await turn.run { holds in
        try await slow.makeAndMark {
          let count = try await client.collections().count
          isPlaceMade.withLock { $0 = count > before }
          for sign in try await signs() { _ = try await client.deleteItem(sign) }
          return try await holds()
        }
      }
      #expect(made == nil && isPlaceMade.withLock { $0 })
      #expect(try await GroupFinder(client: client, group: group).find() == nil)
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
