// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

/// Everything of a group is removed while an import or a copy writes into it.
@Suite("Removals of everything during an import")
struct RemovalDuringImportTests {
  private static let anna = TestUser.anna

  @Test(
    "An import or a copy during which everything is removed leaves no token",
    arguments: SignOutDuringImportTests.Way.allCases,
    [true, false])
  func removedMeanwhile(way: SignOutDuringImportTests.Way, isKnown: Bool) async throws {
    var removals = 0
    for step in 0..<24 {
      let (inner, clock) = (InMemoryBackend(), TestClock())
      if isKnown {
        try await SharedGroup(backend: inner).app("notes", client: "notes").signIn(TestUser.boris.response(1))
      }
      let directory = AccountDirectory(backend: inner, sharesWithADAL: true)
      let isRemoved = Locked(false)
      @Sendable func remove() async throws {
        let existed = try await directory.removeEverything(recordedAs: "test", clock: clock)
        isRemoved.withLock { $0 = existed }
      }
      var backend = WatchedBackend(inner: inner)
      let counter = StepCounter()
      backend.beforeUpdate = { _ in if await counter.next() == step { try await remove() } }
      let summary = try await way.run(into: backend, clock: clock)
      let left = try await inner.recordsWithTokens()[Self.anna.identifier]
      guard isRemoved.withLock(\.self) else { continue }
      removals += 1
      #expect(left == nil && summary.added == 0, "step \(step)")
    }
    #expect(removals > 0)
  }

  @Test("A removal of everything during which an import runs leaves no account", arguments: [false, true])
  func importedMeanwhile(isBeforeRead: Bool) async throws {
    for step in 0..<24 {
      let inner = InMemoryBackend()
      try await SharedGroup(backend: inner).app("notes", client: "notes").signIn(TestUser.boris.response(1))
      var backend = WatchedBackend(inner: inner)
      let counter = StepCounter()
      @Sendable func importAtStep() async throws {
        // An import that begins after the removal stays.
        guard await counter.next() == step, try await inner.record(for: .wipe) == nil else { return }
        try await SharedGroup(backend: inner).importing([
          "Other": ["b": ["home_account_id": .string(Self.anna.identifier)]], "Extra": ["a": 1],
        ])
        _ = try await CacheTransfer(backend: inner).importUnified(SharedGroup.familysCache())
      }
      if isBeforeRead {
        backend.afterRecords = { _ in try await importAtStep() }
      } else {
        backend.beforeUpdate = { _ in try await importAtStep() }
      }
      try await AccountDirectory(backend: backend, sharesWithADAL: true).removeEverything(recordedAs: "test")
      if await counter.next() <= step { break }
      var left: [RecordKey] = []
      for kind in RecordKind.allCases { left += try await inner.records(matching: .all(kind)).map(\.key) }
      #expect(left.allSatisfy { $0 == .wipe || $0 == EnvironmentAliases.record }, "step \(step): \(left)")
    }
  }

  @Test("A removal of everything during a copy leaves the apps' secrets", arguments: 0..<6)
  func secretsStay(step: Int) async throws {
    let (source, inner) = (InMemoryBackend(), InMemoryBackend())
    _ = try await CacheTransfer(backend: source).importUnified(SharedGroup.familysCache())
    let app = try AppEntitlements(app: "com.contoso.mail", groups: ["com.contoso.shared"])
    func secrets(in backend: InMemoryBackend) -> AppSecrets {
      AppSecrets(for: app, clock: TestClock()) { _ in backend }
    }
    try await secrets(in: source).set(Secret("hunter2"), service: "imap")
    var backend = WatchedBackend(inner: inner)
    let counter = StepCounter()
    backend.beforeUpdate = { _ in
      guard await counter.next() == step else { return }
      _ = try await AccountDirectory(backend: inner, sharesWithADAL: true).removeEverything(
        recordedAs: "test")
    }
    _ = try await CacheTransfer(backend: backend).copyRecords(from: source)
    #expect(try await secrets(in: inner).get(service: "imap") == Secret("hunter2"))
  }

  /// A back end of which another program has a copy of the record of a removal.
  private struct PlantedRemoval: ForwardingBackend, ForeignCopies {
    let inner: WatchedBackend

    func recordsOfOthers() -> Set<RecordKey> { [.wipe] }
  }

  @Test("The record of a removal that another program plants during an import undoes nothing")
  func plantedRemoval() async throws {
    var watched = WatchedBackend(inner: InMemoryBackend())
    let inner = watched.inner
    let counter = StepCounter()
    watched.beforeUpdate = { _ in
      guard await counter.next() == 1 else { return }
      try await WipeRecord(app: "evil", date: .now).write(to: inner)
    }
    let summary = try await SignOutDuringImportTests.Way.msal.run(into: PlantedRemoval(inner: watched))
    #expect(summary.signedOut == 0)
    #expect(try await inner.recordsWithTokens()[Self.anna.identifier] != nil)
  }

  @Test("A removal of everything before an import is none during it, also in the same second")
  func removedBefore() async throws {
    let (inner, clock) = (InMemoryBackend(), TestClock())
    let directory = AccountDirectory(backend: inner, sharesWithADAL: true)
    for _ in 1...2 {
      #expect(try await SignOutDuringImportTests.Way.msal.run(into: inner, clock: clock).added > 0)
      try await directory.removeEverything(recordedAs: "test", clock: clock)
    }
  }
}
