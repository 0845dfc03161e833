// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

extension ServiceTests {
  /// What a program reads that makes one call and ends.
  @Suite("One call", .serialized)
  struct OneCall {
    private let group: RoundTripGroup

    init() throws { group = try RoundTripGroup() }

    @Test("The tool reads an account's item once for its token")
    func tool() async throws {
      try await group.signIn(1...3)
      let account = RoundTripGroup.identifier(account: 2)
      let members = try await BusMonitor.members {
        let token = try await PrivateSession.run(
          try PrivateSession.tool,
          [
            "token", "--group", group.name, "--client-id", RoundTripGroup.clientID, "--account", account,
            "--scope", "mail.read",
          ])
        #expect(token == "at-2-1\n")
      }
      let reads = members.filter { ["SearchItems", "GetSecrets"].contains($0) }
      #expect(reads == ["SearchItems", "GetSecrets"])
    }

    @Test("A record of a list is looked up without a round trip, once")
    func once() async throws {
      try await group.signIn(1...1)
      let (backend, key) = try await listed()
      let calls = try await BusMonitor.members {
        let record = try await backend.record(for: key)
        #expect(record?.key == key)
      }
      #expect(calls == [])
      let later = try await BusMonitor.members {
        let record = try await backend.record(for: key)
        #expect(record?.key == key)
      }
      #expect(later == ["SearchItems", "GetSecrets"])
    }

    @Test("A record that is not in the list is looked up where it is stored, and the list is forgotten")
    func other() async throws {
      try await group.signIn(1...1)
      let (backend, key) = try await listed()
      let other = try await backend.record(for: RecordKey(kind: .groupData))
      #expect(other == nil)
      try await saveNewer()
      let isNewer = try await hasNewer(backend, key)
      #expect(isNewer)
    }

    @Test("After a write and after a wait for others a record is read anew", arguments: [true, false])
    func changed(writes: Bool) async throws {
      try await group.signIn(1...1)
      let (backend, key) = try await listed()
      try await saveNewer()
      if writes { try await backend.remove(RecordKey(kind: .groupData)) }
      if !writes { try await backend.withRefreshLease(on: key) {} }
      let isNewer = try await hasNewer(backend, key)
      #expect(isNewer)
    }

    private func listed() async throws -> (SecretServiceBackend, RecordKey) {
      let store = SecretStore()
      let backend = store.unrestrictedBackend(for: try AccessGroup(group.name)).forOneCall()
      let records = try await backend.records(matching: .all(.credentials))
      return (backend, try #require(records.first).key)
    }

    /// What another app does meanwhile.
    private func saveNewer() async throws {
      let sibling = try group.cache(SecretStore())
      try await sibling.save(
        RoundTripGroup.response(account: 1, version: 2), scopes: RoundTripGroup.scopes)
    }

    private func hasNewer(_ backend: SecretServiceBackend, _ key: RecordKey) async throws -> Bool {
      let document = try #require(try await backend.record(for: key)).document()
      return String(decoding: document.serialized(), as: UTF8.self).contains("at-1-2")
    }
  }
}
