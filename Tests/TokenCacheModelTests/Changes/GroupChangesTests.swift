// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Watching a group")
struct GroupChangesTests {
  /// A back end that can't tell of changes and answers as it is told.
  private actor Scripted: TokenCacheBackend {
    private let inner = InMemoryBackend()
    private var failure: SecretStoreError?

    func fail(_ code: SecretStoreError.Code?) { failure = code.map { SecretStoreError($0, "as told") } }

    func records(matching query: RecordQuery) async throws -> [Record] {
      if let failure { throw failure }
      return try await inner.records(matching: query)
    }

    func record(for key: RecordKey) async throws -> Record? { try await inner.record(for: key) }

    func update<Outcome: Sendable>(
      _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
    ) async throws -> Outcome { try await inner.update(key, change) }

    func remove(_ key: RecordKey) async throws { try await inner.remove(key) }

    func withRefreshLease<Outcome: Sendable>(
      on key: RecordKey, _ body: @Sendable () async throws -> Outcome
    ) async throws -> Outcome { try await body() }
  }

  @Test(
    "of a back end that can't be read begins with what is the matter",
    arguments: [
      (SecretStoreError.Code.groupLocked, GroupState.locked), (.groupUnrecoverable, .unrecoverable),
      (.serviceUnavailable, .unavailable), (.timedOut, .unavailable),
    ])
  func unreadable(code: SecretStoreError.Code, state: GroupState) async throws {
    let backend = Scripted()
    await backend.fail(code)
    var changes = AccountDirectory(backend: backend).changes().makeAsyncIterator()
    guard case .snapshot(let snapshot) = await changes.next() else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.state == state)
    #expect(snapshot.accounts.isEmpty)
  }

  @Test("of a back end that can't tell of changes sees them all the same")
  func polled() async throws {
    let backend = Scripted()
    await backend.fail(.serviceUnavailable)
    var changes = AccountDirectory(backend: backend).changes().makeAsyncIterator()
    _ = await changes.next()
    await backend.fail(nil)
    let change = await changes.next()
    #expect(change?.description == "available")
  }

  @Test("reads all that an app's list needs while it looks, and nothing else: that would open the group")
  func readsNothingElse() async throws {
    let group = SharedGroup()
    try await group.app("mail").signIn(Person.anna.answer(family: "1"))
    let locked = FailingBackend(inner: group.backend, readError: SecretStoreError(.groupLocked, "as told"))
    let teams = try group.app("teams", client: SharedGroup.office, through: locked)
    var changes = teams.changes().makeAsyncIterator()
    guard case .snapshot(let snapshot) = await changes.next() else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.accounts.map(\.username) == ["anna@contoso.com"])
  }

  @Test("passes over a document that can't be read")
  func corruptDocument() async throws {
    let backend = InMemoryBackend()
    await backend.plant(
      Array("{".utf8),
      for: .credentials(
        homeAccountID: "ada", environment: "id.contoso.com", clientID: "suite"))
    var changes = AccountDirectory(backend: backend).changes().makeAsyncIterator()
    guard case .snapshot(let snapshot) = await changes.next() else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.state != .unavailable)
    #expect(snapshot.accounts.isEmpty)
  }
}
