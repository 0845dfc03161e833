// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests {
  @Suite("Collection of a group", .serialized)
  struct GroupCollectionTests {
    let name: String
    let group: AccessGroup

    init() throws {
      _ = try PrivateSession.control
      name = PrivateSession.uniqueGroup()
      group = try AccessGroup(name)
    }

    private func summary(_ group: AccessGroup) async throws -> GroupSummary? {
      try await SecretStore().groups().first { $0.group == group }
    }

    @Test("Opening a group that the app does not list throws notEntitled before any call to the service")
    func notEntitled() throws {
      let app = try AppEntitlements(
        app: "com.fabrikam.spy", publisher: "fabrikam", groups: ["com.fabrikam.shared"])
      #expect(throws: SecretStoreError(.notEntitled, "")) {
        try SecretStore().backend(for: app, group: name)
      }
    }

    @Test("A read creates no group, and the first save creates one with a dedicated collection")
    func madeOnFirstSave() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      #expect(try await backend.records(matching: .all(.credentials)).isEmpty)
      #expect(try await summary(group) == nil)
      try await ServiceSupport.write("first", to: backend)
      let made = try await summary(group)
      #expect(made?.collection == name)
      #expect(made?.placement == .dedicated)
      #expect(made?.isLocked == false)
    }

    @Test("Eight writers that start together create one group")
    func racingCreators() async throws {
      try await ServiceSupport.writeAtOnce(8, to: group)
      let markers = try await ServiceSupport.python(
        "print(len(items(kind='group', group=sys.argv[1])))", name)
      let keys = try await ServiceSupport.python(
        "print(len(items(kind='group-key', group=sys.argv[1])))", name)
      #expect(markers == "1\n")
      #expect(keys == "1\n")
      #expect(try await ServiceSupport.recordCount(of: group) == 8)
    }

    @Test("A locked group whose password is missing throws groupUnrecoverable")
    func lostPassword() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("lost", to: backend)
      try await ServiceSupport.python(
        "[item.delete() for item in items(kind='group-key', group=sys.argv[1])]", name)
      #expect(try await ServiceSupport.read(backend) == "lost", "while it is open")
      try await PrivateSession.keyring("restart")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("new", to: backend) }
      #expect([reading, writing] == [.groupUnrecoverable, .groupUnrecoverable])
    }

    @Test("A locked group whose password was changed throws groupUnrecoverable")
    func refusedPassword() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("lost", to: backend)
      try await ServiceSupport.python(
        "[item.set_secret(b'another') for item in items(kind='group-key', group=sys.argv[1])]", name)
      try await PrivateSession.keyring("restart")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(backend) }
      #expect(reading == .groupUnrecoverable)
    }

    @Test("The next save uses a collection that a crash left without a marker")
    func crashBeforeMarker() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("first", to: backend)
      try await ServiceSupport.python(
        "[item.delete() for kind in ('group', 'group-data') for item in items(kind=kind, group=sys.argv[1])]",
        name)
      try await PrivateSession.keyring("restart")
      let fresh = SecretStore().unrestrictedBackend(for: group)
      #expect(try await ServiceSupport.read(fresh) == nil)
      try await ServiceSupport.write("second", to: fresh)
      #expect(try await ServiceSupport.read(backend) == "second")
      let collections = try await ServiceSupport.python(
        "print(sum(c.get_label() == sys.argv[1] for c in secretstorage.get_all_collections(connection)))",
        name)
      #expect(collections == "1\n")
    }

    @Test("After the next save no stored password lacks its collection")
    func crashBeforeCollection() async throws {
      try await ServiceSupport.python(
        """
        login = secretstorage.Collection(connection, "/org/freedesktop/secrets/collection/login")
        empty = dict.fromkeys(["publisher", "home_account_id", "environment", "client_id", "family_id", "key"], "")
        login.create_item("left", {**empty, "kind": "group-key", "group": sys.argv[1],
            "keyring": f"LOCAL:/keyrings/{sys.argv[1]}.keyring", "xdg:schema": "org.secretstorecache.Item"}, b"0" * 64)
        """, name)
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("made", to: backend)
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(backend) == "made")
      let passwords = "'keyring' in i.get_attributes() for i in items(kind='group-key', group=sys.argv[1])"
      #expect(try await ServiceSupport.python("print(sum(\(passwords)))", name) == "1\n")
    }

    @Test("An item with an empty secret, as a crash of the daemon leaves it, counts as absent")
    func emptySecret() async throws {
      let backend = SecretStore().unrestrictedBackend(for: group)
      try await ServiceSupport.write("first", to: backend)
      try await ServiceSupport.python(
        "[item.set_secret(b'') for item in items(kind='group-data', group=sys.argv[1])]", name)
      #expect(try await ServiceSupport.read(backend) == nil)
      try await ServiceSupport.write("second", to: backend)
      #expect(try await ServiceSupport.read(backend) == "second")
      #expect(
        try await ServiceSupport.python("print(len(items(kind='group-data', group=sys.argv[1])))", name)
          == "1\n")
    }
  }
}
