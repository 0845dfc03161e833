// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  /// gnome-keyring gives the paths of a deleted collection's items to the items of the next one of that name.
  @Suite("Reused object paths", .serialized)
  struct ReusedPathTests {
    private let group: AccessGroup
    private let mine = RecordKey.groupData("mine")
    private let theirs = RecordKey.groupData("theirs")

    init() throws {
      _ = try PrivateSession.control
      group = try AccessGroup(PrivateSession.uniqueGroup())
    }

    private func backend() -> SecretServiceBackend { ServiceSupport.store().unrestrictedBackend(for: group) }

    private func write(_ text: String, _ key: RecordKey, to backend: SecretServiceBackend) async throws {
      let document = try ServiceSupport.document(text)
      try await backend.update(key) { $0 = document }
    }

    private func read(_ key: RecordKey) async throws -> String? {
      guard let document = try await backend().record(for: key)?.document() else { return nil }
      let json = try JSONSerialization.jsonObject(with: Data(document.serialized())) as? [String: Any]
      return json?["Note"] as? String
    }

    private func path(of key: RecordKey, _ client: SecretServiceClient) async throws -> ObjectPath? {
      try await client.search(ItemAttributes.all(key, in: group)).unlocked.first
    }

    /// Writes to `mine`, and runs a hook between the first read and the write.
    private func write(
      _ text: String, to backend: SecretServiceBackend,
      after meanwhile: @escaping @Sendable () async throws -> Void
    ) async throws {
      let document = try ServiceSupport.document(text)
      let isFirst = Locked(true)
      try await backend.update(mine) { stored in
        stored = document
        let wasFirst = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        guard wasFirst else { return }
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
          defer { isDone.signal() }
          try await meanwhile()
        }
        isDone.wait()
      }
    }

    @Test("A write to a deleted collection does not overwrite the collection that reuses its path")
    func beforeTheWrite() async throws {
      let client = SecretServiceClient(allowsPlainTransport: false)
      let first = backend()
      try await write("before", mine, to: first)
      let old = try #require(try await path(of: mine, client))
      let (group, theirs) = (group, theirs)
      var stored = try ServiceSupport.document("kept")
      stored.metadata.record = theirs
      let secret = Secret(stored.serialized())
      try await write("after", to: first) {
        try await client.deleteCollection(old.parent, .never)
        // As an app does that shares no lock with this one.
        let made = try #require(try await client.createCollection(label: group.name, password: Secret([1])))
        // The marker's path comes first.
        for attributes in [["kind": "marker"], ItemAttributes.all(theirs, in: group)] {
          _ = try await client.createItem(
            in: made, label: "theirs", attributes: attributes, schema: ItemAttributes.schema, secret: secret)
        }
      }
      #expect(try await path(of: theirs, client) == old, "the path was not used again")
      #expect(try await client.secrets(of: [old])[old] == secret)
      #expect(try await read(mine) == "after")
    }

    @Test("A deleted group is created again only after the writes that had read it")
    func waitsForWriters() async throws {
      let client = SecretServiceClient(allowsPlainTransport: false)
      let first = backend()
      try await write("before", mine, to: first)
      let old = try #require(try await path(of: mine, client))
      let other = Locked<Task<Void, any Error>?>(nil)
      let seen = Locked<Bool?>(nil)
      try await write("after", to: first) {
        try await client.deleteCollection(old.parent, .never)
        other.withLock { $0 = Task { try await write("kept", theirs, to: backend()) } }
        try await Task.sleep(for: .milliseconds(300))
        let found = try await path(of: theirs, client)
        seen.withLock { $0 = found != nil }
      }
      try await other.withLock { $0 }?.value
      #expect(seen.withLock { $0 } == false)
      #expect(try await read(theirs) == "kept")
      #expect(try await read(mine) == "after")
    }

    @Test(
      "A change of an existing record does not create a deleted group again",
      arguments: [GroupPlacement.dedicatedIfSilent, .shared])
    func deletedGroup(placement: GroupPlacement) async throws {
      let first = backend()
      var options = SecretStoreOptions()
      options.placement = placement
      try await SecretStore(options: options).createGroup(group)
      try await write("before", mine, to: first)
      let seen = Locked<[Bool]>([])
      let (group, document) = (group, try ServiceSupport.document("after"))
      try await first.update(mine) { stored in
        let isFirst = seen.withLock { seen in
          seen.append(stored != nil)
          return seen.count == 1
        }
        if isFirst {
          let isDone = DispatchSemaphore(value: 0)
          Task.detached {
            defer { isDone.signal() }
            try await SecretStore().deleteGroup(group)
          }
          isDone.wait()
        }
        if stored != nil { stored = document }
      }
      #expect(seen.withLock { $0 } == [true, false])
      #expect(try await !SecretStore().groups().contains { $0.group == group })
    }

    @Test("A write that reached another record's item leaves it empty instead of corrupt")
    func metAnother() async throws {
      let client = SecretServiceClient(allowsPlainTransport: false)
      let first = backend()
      try await write("mine", mine, to: first)
      try await write("theirs", theirs, to: first)
      let own = try #require(try await path(of: mine, client))
      let others = try #require(try await path(of: theirs, client))
      #expect(try await first.holds(own, mine))
      #expect(try await !first.holds(others, mine))
      #expect(try await read(mine) == "mine")
      #expect(try await read(theirs) == "theirs")

      let content = try #require(try await client.secrets(of: [own])[own])
      try await client.setSecret(content, of: others)
      #expect(try await !first.holds(others, mine))
      #expect(try await read(theirs) == nil)
      try await write("new", theirs, to: backend())
      #expect(try await read(theirs) == "new")
      #expect(try await path(of: theirs, client) == others, "the emptied item was not used again")
    }
  }
}
