// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Optimistic removal", .serialized)
  struct OptimisticRemovalTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("A removed record that another writer restores unchanged is removed again")
    func removal() async throws {
      _ = try await shared.write("old")
      try await shared.removeWhilePlanted(through: shared.backend)
      #expect(try await shared.items() == [])
    }

    @Test("A record that many writers remove at once is removed for all of them")
    func removals() async throws {
      for _ in 0..<5 {
        _ = try await shared.write("old")
        // Writers of one process share its lock, so these delete without it.
        try await withThrowingTaskGroup(of: Void.self) { tasks in
          for _ in 0..<6 {
            tasks.addTask {
              let backend = UnsharedGroup.store().unrestrictedBackend(for: shared.group)
              try await backend.delete(ServiceSupport.note)
            }
          }
          try await tasks.waitForAll()
        }
        #expect(try await shared.items() == [])
      }
    }

    @Test("A record that is created again after its removal remains")
    func recreated() async throws {
      _ = try await shared.write("old")
      let rival = Task { [shared] in
        while try await !shared.items().isEmpty {}
        try await shared.replaceItem(try shared.newRecord("new"))
      }
      try await shared.backend.remove(ServiceSupport.note)
      try await rival.value
      #expect(try await shared.text() == "new")
    }
  }
}
