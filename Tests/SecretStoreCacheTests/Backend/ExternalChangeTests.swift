// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  /// Changes that a user makes in Seahorse while a running app has cached the paths.
  @Suite("Changes by other programs while an app runs", .serialized)
  struct ExternalChangeTests {
    private let name = PrivateSession.uniqueGroup()
    private let group: AccessGroup
    private let app: SecretServiceBackend

    init() throws {
      group = try AccessGroup(name)
      app = ServiceSupport.store().unrestrictedBackend(for: group)
    }

    /// Runs a script that gets the group's items and its keyring, `home`.
    private func seahorse(_ script: String) async throws {
      try await ServiceSupport.python(
        """
        [home] = [c for c in secretstorage.get_all_collections(connection) if c.get_label() == sys.argv[1]]
        \(script)
        """, name)
    }

    private func count(_ expression: String) async throws -> String {
      try await ServiceSupport.python("print(\(expression), end='')", name)
    }

    @Test(
      "Deleted items are absent at once, and the next save creates one complete collection",
      arguments: [
        "[item.delete() for item in items(kind='group-data', group=sys.argv[1])]",
        "[item.delete() for item in home.get_all_items()]",
        "home.delete()",
      ])
    func deleted(script: String) async throws {
      try await ServiceSupport.write("first", to: app)
      #expect(try await ServiceSupport.read(app) == "first")
      try await seahorse(script)
      #expect(try await ServiceSupport.read(app) == nil)
      try await ServiceSupport.write("second", to: app)
      #expect(try await ServiceSupport.read(app) == "second")
      #expect(try await count("len(items(kind='group-data', group=sys.argv[1]))") == "1")
      #expect(try await count("len(items(kind='group', group=sys.argv[1]))") == "1")
      // The password of a former keyring remains, in case that keyring is restored; it names no keyring now.
      let passwords = "'keyring' in i.get_attributes() for i in items(kind='group-key', group=sys.argv[1])"
      #expect(try await count("sum(\(passwords))") == "1")
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(app) == "second")
    }

    /// Changes an item before it responds with a new refresh token.
    private struct ChangingEndpoint: TokenEndpoint {
      let change: @Sendable () async throws -> Void
      func send(_ request: TokenRequest) async throws -> TokenEndpointResponse {
        try await change()
        return TokenEndpointResponse(status: 200, body: RoundTripGroup.body(account: 1, version: 3))
      }
    }

    @Test(
      "A refresh token goes to a new item where another program has changed the attributes of the old one",
      arguments: ["client_id", "group", "publisher", "home_account_id", "kind"], ["sign-in", "refresh"])
    func changedAttributes(name: String, way: String) async throws {
      let group = try RoundTripGroup()
      try await group.signIn(1...1)
      let change: @Sendable () async throws -> Void = {
        _ = try await ServiceSupport.python(
          """
          [item] = items(kind="credentials", group=sys.argv[1])
          item.set_attributes({**item.get_attributes(), sys.argv[2]: "changed"})
          """, group.name, name)
      }
      let cache = try group.cache(
        try await group.openStore(), endpoint: ChangingEndpoint(change: change))
      let account = try await cache.save(
        RoundTripGroup.response(account: 1, version: 2), scopes: RoundTripGroup.scopes)
      if way == "refresh" {
        let result = try await cache.acquireTokenSilent(
          scopes: RoundTripGroup.scopes, account: account, forceRefresh: true)
        #expect(result.accessToken == "at-1-3" && result.saveError == nil)
      } else {
        try await change()
        try await cache.save(
          RoundTripGroup.response(account: 1, version: 3), scopes: RoundTripGroup.scopes)
      }
      let found = try await ServiceSupport.python(
        """
        [home] = [c for c in secretstorage.get_all_collections(connection) if c.get_label() == sys.argv[1]]
        each = [i for i in home.get_all_items() if b"AccessToken" in i.get_secret()]
        print(sorted((i.get_attributes()[sys.argv[2]] == "changed", b"rt-1-3" in i.get_secret()) for i in each), end="")
        """, group.name, name)
      #expect(found == "[(False, True), (True, False)]")
    }

    @Test(
      "An item that can't be read in the login collection keeps no record from being saved",
      arguments: [false, true])
    func plantedInLogin(hasGroup: Bool) async throws {
      let document = try ServiceSupport.document("new")
      if hasGroup { try await app.update(.groupData("other")) { $0 = document } }
      try await PlantedItem.store(Array("my notes".utf8), for: ServiceSupport.note, in: group, inLogin: true)
      try await ServiceSupport.write("kept", to: app)
      #expect(try await ServiceSupport.read(app) == "kept")
      let fresh = ServiceSupport.store().unrestrictedBackend(for: group)
      #expect(try await ServiceSupport.read(fresh) == "kept")
      let found = try await ServiceSupport.python(
        """
        found = items(kind="group-data", group=sys.argv[1], key=sys.argv[2])
        print(sorted(i.get_secret() == b"my notes" for i in found), end="")
        [i.delete() for i in found if i.get_secret() == b"my notes"]
        """, name, ServiceSupport.note.key)
      #expect(found == "[False, True]")
    }

    @Test(
      "An item that can't be read in the login collection counts where a group shares that collection",
      arguments: ["with its marker", "without its marker"])
    func damagedInSharedCollection(group state: String) async throws {
      var options = SecretStoreOptions()
      options.placement = .shared
      let shared = SecretStore(options: options).unrestrictedBackend(for: group)
      try await ServiceSupport.write("first", to: shared)
      try await ServiceSupport.python(
        """
        for item in items(group=sys.argv[1]):
            if item.get_attributes()["kind"] == "group-data":
                item.set_secret(b"my notes")
            elif sys.argv[2] == "without its marker":
                item.delete()
        """, name, state)
      let code = try await ServiceSupport.code { try await ServiceSupport.write("second", to: shared) }
      #expect(code == .corruptItem)
      try await ServiceSupport.python("[item.delete() for item in items(group=sys.argv[1])]", name)
    }

    @Test("A deleted marker loses no records and is written again with the next new record")
    func deletedMarker() async throws {
      try await ServiceSupport.write("kept", to: app)
      try await seahorse("[item.delete() for item in items(kind='group', group=sys.argv[1])]")
      #expect(try await ServiceSupport.read(app) == "kept")
      try await ServiceSupport.write("changed", to: app)
      let document = try ServiceSupport.document("new")
      try await ServiceSupport.store().unrestrictedBackend(for: group).update(.groupData("new")) {
        $0 = document
      }
      #expect(try await count("len(items(kind='group', group=sys.argv[1]))") == "1")
      try await PrivateSession.keyring("restart")
      #expect(try await ServiceSupport.read(app) == "changed")
    }

    @Test("Items that come and go stop no read beside another program's locked collection")
    func comeAndGo() async throws {
      try await ServiceSupport.write("kept", to: app)
      try await ServiceSupport.python(
        """
        from keyrings import Keyrings
        planted = Keyrings(connection).make(sys.argv[1] + "-copy", "theirs")
        for item in items(kind="group-data", group=sys.argv[1]):
            planted.create_item("Copy", item.get_attributes(), item.get_secret())
        planted.lock()
        """, name)
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for number in 0..<6 {
          tasks.addTask { [group] in
            let client = SecretServiceClient()
            let key = "passing-\(number)"
            let attributes = ItemAttributes.all(.groupData(key), in: group)
            let record = #"{"kind":"group-data","key":"\#(key)"}"#
            let document = Secret(#"{"SecretStoreCache":{"record":\#(record),"revision":1}}"#)
            while !Task.isCancelled {
              let item = try await client.createItem(
                in: "/org/freedesktop/secrets/collection/session", label: "Passing", attributes: attributes,
                schema: ItemAttributes.schema, secret: document)
              _ = try await client.deleteItem(item)
            }
          }
        }
        for _ in 0..<10 {
          let records = try await app.records(matching: .all(.groupData))
          #expect(records.contains { $0.key == ServiceSupport.note })
        }
        tasks.cancelAll()
      }
    }

    @Test("A collection that was renamed and locked is unlocked and written to as before")
    func renamed() async throws {
      try await ServiceSupport.write("first", to: app)
      try await seahorse("home.set_label('Renamed by hand'); home.lock()")
      #expect(try await ServiceSupport.read(app) == "first")
      try await ServiceSupport.write("second", to: app)
      #expect(try await ServiceSupport.read(app) == "second")
      #expect(try await count("len(items(kind='group-key', group=sys.argv[1]))") == "1")
    }

    @Test("A sign-out removes the tokens also of a copy that counts since the app has read the record")
    func copied() async throws {
      let group = try RoundTripGroup()
      try await group.signIn(1...1)
      let cache = try group.cache(SecretStore())
      let account = try #require(
        try await cache.account(identifier: RoundTripGroup.identifier(account: 1)))
      try await ServiceSupport.python(
        """
        import re
        for item in items(kind="credentials", group=sys.argv[1]):
            newer = re.sub(rb'"revision":\\d+', b'"revision":100', item.get_secret())
            home = secretstorage.Collection(connection, item.item_path.rpartition("/")[0])
            home.create_item("Copy", item.get_attributes(), newer)
        """, group.name)
      try await cache.signOut(account)
      let left = "sum(b'rt-1' in i.get_secret() for i in items(kind='credentials', group=sys.argv[1]))"
      #expect(try await ServiceSupport.python("print(\(left), end='')", group.name) == "0")
    }

    @Test("A record edited by hand throws corruptItem and is not overwritten")
    func overwritten() async throws {
      try await ServiceSupport.write("first", to: app)
      try await seahorse(
        "[item.set_secret(b'my notes') for item in items(kind='group-data', group=sys.argv[1])]")
      let reading = try await ServiceSupport.code { _ = try await ServiceSupport.read(app) }
      let writing = try await ServiceSupport.code { try await ServiceSupport.write("second", to: app) }
      #expect([reading, writing] == [.corruptItem, .corruptItem])
      let left = "[i.get_secret().decode() for i in items(kind='group-data', group=sys.argv[1])]"
      #expect(try await count(left) == "['my notes']")
    }
  }
}
