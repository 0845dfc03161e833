// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import Testing

extension ServiceTests {
  @Suite("The lists of groups", .serialized, .timeLimit(.minutes(1)))
  struct GroupListTests {
    private let store = SecretStore()
    private let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    /// Whether the group is locked by a list, or `nil` when that does not have it; throws a list's failure.
    private func isLocked(_ list: Result<[GroupSummary], SecretStoreError>?) throws -> Bool? {
      try #require(list).get().first { $0.group == group }?.isLocked
    }

    @Test("A list follows each time a group is made, locked, opened and removed")
    func changes() async throws {
      var lists = store.groupLists().makeAsyncIterator()
      let before = await lists.next()
      #expect(try isLocked(before) == nil)
      let other = SecretStore()
      let steps: [(Bool?, () async throws -> Void)] = [
        (false, { try await other.createGroup(group) }),
        (true, { try await other.lockGroup(group) }),
        (false, { try await other.unlockGroup(group) }),
        (nil, { try await other.deleteGroup(group) }),
      ]
      for (state, change) in steps {
        try await change()
        // A group is made in several steps, each of which may be seen.
        var isSeen = false
        for _ in 1...5 where !isSeen {
          let list = await lists.next()
          isSeen = try isLocked(list) == state
        }
        #expect(isSeen, "\(String(describing: state))")
      }
    }

    @Test("While there is no daemon a list is a failure, and it follows the next daemon")
    func restart() async throws {
      try await store.createGroup(group)
      var lists = store.groupLists().makeAsyncIterator()
      let before = await lists.next()
      #expect(try isLocked(before) == false)
      try await PrivateSession.keyring("kill")
      let failure = await lists.next()
      #expect(failure == .failure(SecretStoreError(.serviceUnavailable, "")))
      try await PrivateSession.keyring("start")
      let after = await lists.next()
      #expect(try isLocked(after) != nil)
    }

    @Test("It ends with the task that iterates it")
    func cancelled() async throws {
      let task = Task { for await _ in store.groupLists() {} }
      try await Task.sleep(for: .milliseconds(100))
      task.cancel()
      await task.value
    }
  }
}
