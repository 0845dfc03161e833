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

  /// The entries of two apps of a family, which share a refresh token.
  private static func cache() async throws -> [UInt8] {
    let group = SharedGroup()
    try await group.app("mail").signIn(anna.response(1, family: "1"))
    try await group.app("office", client: SharedGroup.office).signIn(anna.response(2, family: "1"))
    try await group.app("mail").signIn(TestUser.boris.response(3, family: "1"))
    return try await CacheTransfer(backend: group.backend).exportUnified().json
  }

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

  /// The records with tokens, by account.
  private func records(_ backend: InMemoryBackend) async throws -> [String: Set<RecordKey>] {
    var records: [String: Set<RecordKey>] = [:]
    for kind in [RecordKind.credentials, .family] {
      for record in try await backend.records(matching: .all(kind)) where try record.document().hasTokens {
        records[record.key.account, default: []].insert(record.key)
      }
    }
    return records
  }

  @Test("An import during a wipe leaves complete accounts", arguments: [false, true])
  func importing(isStored: Bool) async throws {
    let bytes = try await Self.cache()
    let reference = InMemoryBackend()
    _ = try await CacheTransfer(backend: reference).importUnified(bytes)
    let whole = try await records(reference)
    #expect(whole.values.map(\.count).sorted() == [2, 3])
    for schedule in Self.schedules {
      let backend = InMemoryBackend()
      if isStored { _ = try await CacheTransfer(backend: backend).importUnified(bytes) }
      try await run(schedule, over: backend) { backend in
        _ = try await CacheTransfer(backend: backend).importUnified(bytes)
      } _: { backend in
        try await AccountDirectory(backend: backend).removeEverything(recordedAs: "tests")
      }
      for (account, records) in try await records(backend) {
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
    let bytes = try await Self.cache()
    let reference = InMemoryBackend()
    _ = try await CacheTransfer(backend: reference).importUnified(bytes)
    let whole = try await records(reference)
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
      for (account, records) in try await records(inner) {
        #expect(records == whole[account], "step \(step)")
      }
    }
  }

  @Test("A sign-out during which an import runs leaves no token of the account", arguments: 0..<8)
  func signingOut(step: Int) async throws {
    let bytes = try await Self.cache()
    let inner = InMemoryBackend()
    try await SharedGroup(backend: inner).app("office", client: SharedGroup.office)
      .signIn(Self.anna.response(1, family: "1"))
    var backend = WatchedBackend(inner: inner)
    let counter = StepCounter()
    backend.afterRecords = { _ in
      guard await counter.next() == step else { return }
      _ = try await CacheTransfer(backend: inner).importUnified(bytes)
    }
    let account = try #require(try await AccountDirectory(backend: inner).accounts().first)
    try await AccountDirectory(backend: backend).signOut(account)
    #expect(try await records(inner)[Self.anna.identifier] == nil, "step \(step)")
  }

  /// What brings an account's tokens into a group.
  enum Way: CaseIterable {
    case msal, adal, copy

    func run(into backend: any TokenCacheBackend) async throws -> ImportSummary {
      let anna = AccountAtomicityTests.anna
      switch self {
      case .msal:
        return try await CacheTransfer(backend: backend).importUnified(AccountAtomicityTests.cache())
      case .adal:
        let clients = [SharedGroup.suite, SharedGroup.office]
        let file = ADALFile(tokens: clients.map { anna.legacyRefreshToken(client: $0) })
        return try await ADALTransfer(backend: backend).importFile(file)
      case .copy:
        let source = InMemoryBackend()
        _ = try await CacheTransfer(backend: source).importUnified(AccountAtomicityTests.cache())
        return try await CacheTransfer(backend: backend).copyRecords(from: source)
      }
    }
  }

  @Test(
    "An import or a copy during which its account is signed out everywhere leaves no token of it",
    arguments: Way.allCases, [true, false])
  func signedOutMeanwhile(way: Way, isKnown: Bool) async throws {
    for step in 0..<24 {
      let inner = InMemoryBackend()
      // Another client's sign-in, or nothing: then the import itself shows the account.
      if isKnown {
        try await SharedGroup(backend: inner).app("notes", client: "notes").signIn(Self.anna.response(1))
      }
      let directory = AccountDirectory(backend: inner, sharesWithADAL: true)
      let isSignedOut = Locked(false)
      @Sendable func signOut() async throws {
        for account in try await directory.accounts() where account.username == Self.anna.username {
          isSignedOut.withLock { $0 = true }
          try await directory.signOut(account)
        }
      }
      var backend = WatchedBackend(inner: inner)
      let counter = StepCounter()
      backend.beforeUpdate = { _ in if await counter.next() == step { try await signOut() } }
      backend.afterRecords = { _ in if await counter.next() == step { try await signOut() } }
      let summary = try await way.run(into: backend)
      let left = try await directory.accounts().filter { $0.username == Self.anna.username }
      if isSignedOut.withLock(\.self) {
        #expect(left.isEmpty, "step \(step)")
        #expect(try await records(inner)[Self.anna.identifier] == nil, "step \(step)")
      } else {
        #expect(left.count == 1 && summary.signedOut == 0, "step \(step)")
      }
    }
  }

  /// What ends an import early.
  enum Ending: CaseIterable {
    case error, cancellation
  }

  @Test(
    "An import or a copy that ends early after its account was signed out everywhere leaves no token of it",
    arguments: Way.allCases, Ending.allCases)
  func signedOutBeforeAnEnd(way: Way, ending: Ending) async throws {
    let reference = WatchedBackend(inner: InMemoryBackend())
    _ = try await way.run(into: reference)
    let writes = reference.log.all.count { $0.hasPrefix("update") }
    // A cancellation may also come when all is written. The import looks for sign-outs then.
    for write in 0..<(ending == .error ? writes - 1 : writes) {
      let inner = InMemoryBackend()
      try await SharedGroup(backend: inner).app("notes", client: "notes").signIn(Self.anna.response(1))
      let directory = AccountDirectory(backend: inner, sharesWithADAL: true)
      let importing = Locked<Task<ImportSummary, any Error>?>(nil)
      var backend = WatchedBackend(inner: inner)
      let counter = StepCounter()
      backend.beforeUpdate = { _ in
        try Task.checkCancellation()
        let step = await counter.next()
        if step == write {
          for account in try await directory.accounts() where account.username == Self.anna.username {
            try await directory.signOut(account)
          }
        }
        guard step == write + 1 else { return }
        if ending == .error { throw SecretStoreError(.serviceUnavailable, "The service is gone.") }
        importing.withLock { $0?.cancel() }
        try Task.checkCancellation()
      }
      backend.afterRecords = { _ in try Task.checkCancellation() }
      let watched = backend
      let task = Task {
        while importing.withLock({ $0 == nil }) { await Task.yield() }
        return try await way.run(into: watched)
      }
      importing.withLock { $0 = task }
      let isDone = (try? await task.value) != nil
      #expect(!isDone || write + 1 == writes, "write \(write)")
      let left = try await directory.accounts().filter { $0.username == Self.anna.username }
      #expect(left.isEmpty, "write \(write)")
      #expect(try await records(inner)[Self.anna.identifier] == nil, "write \(write)")
    }
  }

  @Test("A sign-out of one client during an import leaves the account's other clients signed in")
  func clientSignedOutMeanwhile() async throws {
    let inner = InMemoryBackend()
    let group = SharedGroup(backend: inner)
    try await group.app("notes", client: "notes").signIn(Self.anna.response(1))
    try await group.app("tasks", client: "tasks").signIn(Self.anna.response(2))
    let directory = AccountDirectory(backend: inner)
    let account = try #require(try await directory.accounts().first)
    var backend = WatchedBackend(inner: inner)
    let counter = StepCounter()
    backend.beforeUpdate = { _ in
      if await counter.next() == 1 { try await directory.signOut(account, clientID: "notes") }
    }
    let summary = try await CacheTransfer(backend: backend).importUnified(Self.cache())
    #expect(summary.signedOut == 0 && summary.added > 0)
    let known = try #require(try await directory.accounts().first { $0.identifier == account.identifier })
    #expect(Set(known.clients) == ["tasks", SharedGroup.suite, SharedGroup.office])
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
      let records = try await records(group.backend).values.first ?? []
      let kinds = Set(records.map(\.kind))
      #expect(kinds.isEmpty || kinds == [.credentials, .family], "\(schedule)")
    }
  }
}

private actor StepCounter {
  private var count = -1
  func next() -> Int {
    count += 1
    return count
  }
}
