// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

/// One app wipes the group while another writes an account of several records, in every order of their first
/// steps.
@Suite("Atomic storage of an account")
struct AccountAtomicityTests {
  private static let anna = TestUser.anna

  /// The orders of the first eight steps of two apps.
  private static let schedules = (0..<256).map { bits in (0..<8).map { bits >> $0 & 1 } }

  /// Runs two apps at once over one back end, in a fixed order of steps.
  private func run(
    _ schedule: [Int], over backend: InMemoryBackend,
    _ first: @Sendable @escaping (SteppedBackend) async throws -> Void,
    _ second: @Sendable @escaping (SteppedBackend) async throws -> Void
  ) async throws {
    let turns = Turns(schedule)
    try await withThrowingTaskGroup { tasks in
      for (who, body) in [first, second].enumerated() {
        tasks.addTask {
          let result: Result<Void, any Error>
          do {
            result = .success(try await body(SteppedBackend(inner: backend, turns: turns, who: who)))
          } catch {
            result = .failure(error)
          }
          await turns.finish(who)
          try result.get()
        }
      }
      try await tasks.waitForAll()
    }
  }

  @Test("An import during a wipe leaves complete accounts", arguments: [false, true])
  func importing(isStored: Bool) async throws {
    let bytes = try await SharedGroup.familysCache()
    let reference = InMemoryBackend()
    _ = try await CacheTransfer(backend: reference).importUnified(bytes)
    let whole = try await reference.recordsWithTokens()
    #expect(whole.values.map(\.count).sorted() == [2, 3])
    for schedule in Self.schedules {
      let backend = InMemoryBackend()
      if isStored { _ = try await CacheTransfer(backend: backend).importUnified(bytes) }
      try await run(schedule, over: backend) { backend in
        _ = try await CacheTransfer(backend: backend).importUnified(bytes)
      } _: { backend in
        try await AccountDirectory(backend: backend).removeEverything(recordedAs: "tests")
      }
      for (account, records) in try await backend.recordsWithTokens() {
        #expect(records == whole[account], "\(schedule)")
      }
    }
  }

  @Test("An import of ADAL's items during a wipe leaves complete users", arguments: [false, true])
  func importingADAL(isStored: Bool) async throws {
    let tokens = [SharedGroup.suite, SharedGroup.office].map { Self.anna.legacyRefreshToken(client: $0) }
    let file = ADALFile(tokens: tokens + [TestUser.boris.legacyRefreshToken()])
    for schedule in Self.schedules {
      let backend = InMemoryBackend()
      if isStored { _ = try await ADALTransfer(backend: backend).importFile(file) }
      try await run(schedule, over: backend) { backend in
        _ = try await ADALTransfer(backend: backend).importFile(file)
      } _: { backend in
        try await AccountDirectory(backend: backend).removeEverything(recordedAs: "tests")
      }
      let stored = try await ADALStore(backend: backend).items().map(\.token)
      #expect([0, 2].contains(stored.count { $0.userID == Self.anna.username }), "\(schedule)")
    }
  }

  @Test("Each account's records are written together, its families' first")
  func order() {
    let keys = [Self.anna, .boris].flatMap { person in
      [SharedGroup.key(of: person), SharedGroup.key(of: person, client: SharedGroup.office)]
        + [SharedGroup.familyKey(of: person)]
    }
    let sorted = keys.sorted { $0.precedes($1) }
    #expect(sorted.map(\.kind) == [.family, .credentials, .credentials, .family, .credentials, .credentials])
    #expect(Set(sorted[..<3].map(\.account)).count == 1 && Set(sorted[3...].map(\.account)).count == 1)
  }

  @Test(
    "An import whose group is deleted during it leaves complete accounts",
    arguments: [[], [RecordKind.family], [.credentials]])
  func deleting(stored: [RecordKind]) async throws {
    let bytes = try await SharedGroup.familysCache()
    let reference = InMemoryBackend()
    _ = try await CacheTransfer(backend: reference).importUnified(bytes)
    let whole = try await reference.recordsWithTokens()
    for step in 0..<12 {
      let inner = InMemoryBackend()
      for kind in stored {
        for record in try await reference.records(matching: .all(kind)) {
          try await inner.update(record.key) { $0 = try record.document() }
        }
      }
      var backend = WatchedBackend(inner: inner)
      let counter = StepCounter()
      backend.beforeUpdate = { _ in
        guard await counter.next() == step else { return }
        for kind in RecordKind.allCases {
          for record in try await inner.records(matching: .all(kind)) { try await inner.remove(record.key) }
        }
      }
      _ = try await CacheTransfer(backend: backend).importUnified(bytes)
      for (account, records) in try await inner.recordsWithTokens() {
        #expect(records == whole[account], "step \(step)")
      }
    }
  }

  @Test("A sign-in during a wipe leaves a complete account")
  func signingIn() async throws {
    for schedule in Self.schedules {
      let group = SharedGroup()
      try await group.app("office", client: SharedGroup.office).signIn(Self.anna.response(1, family: "1"))
      try await run(schedule, over: group.backend) { backend in
        try await group.app("mail", through: backend).signIn(Self.anna.response(2, family: "1"))
      } _: { backend in
        try await AccountDirectory(backend: backend).removeEverything(recordedAs: "tests")
      }
      let records = try await group.backend.recordsWithTokens().values.first ?? []
      let kinds = Set(records.map(\.kind))
      #expect(kinds.isEmpty || kinds == [.credentials, .family], "\(schedule)")
    }
  }
}
