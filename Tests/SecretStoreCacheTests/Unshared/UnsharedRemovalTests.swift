// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Removing where no lock is shared", .serialized)
  struct UnsharedRemovalTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("a removed record that comes back as it was is removed again")
    func removal() async throws {
      _ = try await shared.write("old")
      let stale = try await shared.bytes()
      let isBack = Locked(false)
      try await WriteWindow.$whileSettling.withValue({ [shared] in
        let wasBack = isBack.withLock { isBack in
          defer { isBack = true }
          return isBack
        }
        if !wasBack { try await shared.plant(stale) }
      }) { try await shared.backend.remove(ServiceSupport.note) }
      #expect(isBack.withLock { $0 })
      #expect(try await shared.items() == [])
    }

    @Test("a record that many remove at once is removed for all of them")
    func removals() async throws {
      for _ in 0..<5 {
        _ = try await shared.write("old")
        // Those of one process keep to its own lock: these delete without it.
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

    @Test("a record that is made anew after its removal stays")
    func madeAnew() async throws {
      _ = try await shared.write("old")
      let rival = Task { [shared] in
        while try await !shared.items().isEmpty {}
        try await shared.plant(try shared.anew("new"))
      }
      try await shared.backend.remove(ServiceSupport.note)
      try await rival.value
      #expect(try await shared.text() == "new")
    }
  }
}
