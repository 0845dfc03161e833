// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Group changes")
struct GroupChangesTests {
  /// A back end without change notifications, with scripted results.
  private actor Scripted: ForwardingBackend {
    let inner = InMemoryBackend()
    private var failure: SecretStoreError?

    func fail(_ code: SecretStoreError.Code?) { failure = code.map { SecretStoreError($0, "as scripted") } }

    func records(matching query: RecordQuery) async throws -> [Record] {
      if let failure { throw failure }
      return try await inner.records(matching: query)
    }
  }

  @Test(
    "The first snapshot of an unreadable back end has the state of its error",
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

  @Test("A back end without notifications is polled")
  func polled() async throws {
    let backend = Scripted()
    await backend.fail(.serviceUnavailable)
    var changes = AccountDirectory(backend: backend).changes().makeAsyncIterator()
    _ = await changes.next()
    await backend.fail(nil)
    let change = await changes.next()
    #expect(change?.description == "available")
  }

  @Test("An observation reads only the records of the app's list, since more could unlock the group")
  func readsNothingElse() async throws {
    let group = SharedGroup()
    try await group.app("mail").signIn(TestUser.anna.response(family: "1"))
    let locked = FailingBackend(
      inner: group.backend, readError: SecretStoreError(.groupLocked, "as scripted"))
    let teams = try group.app("teams", client: SharedGroup.office, through: locked)
    var changes = teams.changes().makeAsyncIterator()
    guard case .snapshot(let snapshot) = await changes.next() else {
      Issue.record("no snapshot")
      return
    }
    #expect(snapshot.accounts.map(\.username) == ["anna@contoso.com"])
  }

  @Test("An unreadable document is skipped")
  func corruptDocument() async throws {
    let backend = InMemoryBackend()
    await backend.storeRaw(
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
