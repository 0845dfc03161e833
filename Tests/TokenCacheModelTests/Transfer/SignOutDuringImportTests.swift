// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

/// An account is signed out while an import or a copy writes it.
@Suite("Sign-outs during an import")
struct SignOutDuringImportTests {
  private static let anna = TestUser.anna

  @Test("A sign-out during which an import runs leaves no token of the account", arguments: 0..<8)
  func signingOut(step: Int) async throws {
    let bytes = try await SharedGroup.familysCache()
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
    #expect(try await inner.recordsWithTokens()[Self.anna.identifier] == nil, "step \(step)")
  }

  /// What brings an account's tokens into a group.
  enum Way: CaseIterable {
    case msal, adal, copy

    func run(
      into backend: any TokenCacheBackend, clock: any WallClock = TestClock()
    ) async throws -> ImportSummary {
      let anna = TestUser.anna
      switch self {
      case .msal:
        return try await CacheTransfer(backend: backend, clock: clock)
          .importUnified(SharedGroup.familysCache())
      case .adal:
        let clients = [SharedGroup.suite, SharedGroup.office]
        let file = ADALFile(tokens: clients.map { anna.legacyRefreshToken(client: $0) })
        return try await ADALTransfer(backend: backend, clock: clock).importFile(file)
      case .copy:
        let source = InMemoryBackend()
        _ = try await CacheTransfer(backend: source).importUnified(SharedGroup.familysCache())
        return try await CacheTransfer(backend: backend, clock: clock).copyRecords(from: source)
      }
    }
  }

  @Test(
    "An import or a copy during which its account is signed out everywhere leaves no token of it",
    arguments: Way.allCases, [true, false])
  func signedOutMeanwhile(way: Way, isKnown: Bool) async throws {
    var signOuts = 0
    for step in 0..<24 {
      let (inner, clock) = (InMemoryBackend(), TestClock())
      // Another client's sign-in, or nothing: then the import itself shows the account.
      if isKnown {
        try await SharedGroup(backend: inner).app("notes", client: "notes").signIn(Self.anna.response(1))
      }
      let directory = AccountDirectory(backend: inner, sharesWithADAL: true)
      let isSignedOut = Locked(false)
      @Sendable func signOut() async throws {
        for account in try await directory.accounts() where account.username == Self.anna.username {
          isSignedOut.withLock { $0 = true }
          clock.advance(by: 2)
          try await directory.signOut(account, clock: clock)
        }
      }
      var backend = WatchedBackend(inner: inner)
      let counter = StepCounter()
      backend.beforeUpdate = { _ in if await counter.next() == step { try await signOut() } }
      backend.afterRecords = { _ in if await counter.next() == step { try await signOut() } }
      let summary = try await way.run(into: backend, clock: clock)
      let left = try await directory.accounts().filter { $0.username == Self.anna.username }
      if isSignedOut.withLock(\.self) {
        signOuts += 1
        #expect(left.isEmpty, "step \(step)")
        #expect(try await inner.recordsWithTokens()[Self.anna.identifier] == nil, "step \(step)")
      } else {
        #expect(left.count == 1 && summary.signedOut == 0, "step \(step)")
      }
    }
    #expect(signOuts > 0)
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
      let (inner, clock) = (InMemoryBackend(), TestClock())
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
            clock.advance(by: 2)
            try await directory.signOut(account, clock: clock)
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
        return try await way.run(into: watched, clock: clock)
      }
      importing.withLock { $0 = task }
      let isDone = (try? await task.value) != nil
      #expect(!isDone || write + 1 == writes, "write \(write)")
      let left = try await directory.accounts().filter { $0.username == Self.anna.username }
      #expect(left.isEmpty, "write \(write)")
      #expect(try await inner.recordsWithTokens()[Self.anna.identifier] == nil, "write \(write)")
    }
  }

  @Test("A sign-out by what an import left over, before the account's record is written, leaves no token")
  func leftovers() async throws {
    let host = "login.microsoftonline.com"
    var cache = EntryBuilder.document(.refreshToken, ["r": .object(EntryBuilder.fields(.refreshToken))])
    let entry = try #require(cache.credentials.first)
    cache[member: "Device"] = [
      "d": ["home_account_id": .string(entry.homeAccountID), "environment": .string(host), "name": "phone"]
    ]
    let inner = InMemoryBackend()
    var backend = WatchedBackend(inner: inner)
    backend.beforeUpdate = { key in
      guard key.kind == .credentials else { return }
      let account = Account(identifier: entry.homeAccountID, username: "", environment: host)
      try await AccountDirectory(backend: inner).signOut(account)
    }
    _ = try await CacheTransfer(backend: backend).importUnified(cache.serialized())
    #expect(try await inner.recordsWithTokens() == [:])
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
    let summary = try await CacheTransfer(backend: backend).importUnified(SharedGroup.familysCache())
    #expect(summary.signedOut == 0 && summary.added > 0)
    let known = try #require(try await directory.accounts().first { $0.identifier == account.identifier })
    #expect(Set(known.clients) == ["tasks", SharedGroup.suite, SharedGroup.office])
  }

  @Test(
    "A sign-out of no app, which has no date, counts as one before all that the import writes",
    arguments: 0..<4)
  func undatedSignOut(step: Int) async throws {
    let inner = InMemoryBackend()
    let group = SharedGroup(backend: inner)
    try await group.app("notes", client: "notes").signIn(Self.anna.response(1))
    let directory = AccountDirectory(backend: inner)
    let account = try #require(try await directory.accounts().first)
    let user = TokenCache(
      backend: inner, app: Optional<AppIdentifier>.none, clientID: "notes",
      authority: try Authority(SharedGroup.azure))
    var backend = WatchedBackend(inner: inner)
    let counter = StepCounter()
    backend.beforeUpdate = { _ in if await counter.next() == step { try await user.signOut(account) } }
    let summary = try await CacheTransfer(backend: backend).importUnified(SharedGroup.familysCache())
    #expect(summary.signedOut > 0)
    #expect(try await inner.recordsWithTokens()[Self.anna.identifier] == nil)
  }

  @Test("What only other programs have signs nobody out, and the group's own sign-out since then does")
  func copyOfOthers() throws {
    let incoming = EntryBuilder.document(
      .refreshToken, ["r": .object(EntryBuilder.fields(.refreshToken))])
    let token = Self.anna.legacyRefreshToken()
    for (signOuts, isSignedOut) in [(2, false), (3, true)] {
      var stored: CacheDocument? = CacheDocument()
      stored?.metadata.signOutNumber = signOuts
      let merge = RecordMerge(
        incoming: incoming, replaces: false, signOutNumberOfOthers: 2,
        freshness: Freshness(now: TestClock.start))
      #expect((merge.apply(to: &stored) == .signedOut) == isSignedOut)
      #expect((stored?.hasTokens == true) != isSignedOut)
      var item: CacheDocument? = CacheDocument()
      item?.adalToken = token
      item?.replaceADALTokenWithTombstone()
      item?.metadata.signOutNumber = signOuts
      let legacy = ADALMerge(
        incoming: token, replaces: false, signOutNumberOfOthers: 2, freshness: Freshness(now: TestClock.start)
      )
      #expect((legacy.apply(to: &item) == .signedOut) == isSignedOut)
      #expect((item?.adalToken?.kind != nil) != isSignedOut)
    }
  }
}
