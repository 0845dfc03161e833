// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

extension ServiceTests {
  @Suite("Secret migration")
  struct SecretMigrationTests {
    private let store = ServiceSupport.store()
    private let app: AppEntitlements
    private let secrets: AppSecrets
    /// An attribute that identifies this test's items.
    private let mark = UUID().uuidString.lowercased()

    init() throws {
      app = try AppEntitlements(app: "com.contoso.mail", groups: [PrivateSession.uniqueGroup()])
      secrets = try store.secrets(for: app)
    }

    private func source(collection: String? = nil, schema: String? = nil) -> SecretSource {
      var attributes = ["test": mark]
      attributes["xdg:schema"] = schema
      return SecretSource(
        attributes: attributes, collection: collection, service: .attribute("server"),
        account: .attribute("user"))
    }

    /// Stores an item as `secret-tool store` does.
    private func createItem(
      _ secret: String, server: String = "imap.contoso.com", user: String?, label: String = "IMAP password",
      schema: String = "com.contoso.mail.Password", in collection: String = ""
    ) async throws {
      var attributes = ["test": mark, "server": server, "xdg:schema": schema]
      attributes["user"] = user
      let json = String(decoding: try JSONEncoder().encode(attributes), as: UTF8.self)
      try await ServiceSupport.python(
        """
        attributes, label, secret, name = json.loads(sys.argv[1]), *sys.argv[2:5]
        if name:
            named = [c for c in secretstorage.get_all_collections(connection) if c.get_label() == name]
            collection = named[0]
        else:
            collection = secretstorage.get_default_collection(connection)
        collection.create_item(label, attributes, secret.encode(), replace=False)
        """, json, label, secret, collection)
    }

    /// The secrets that still have this test's mark.
    private func originals() async throws -> [String] {
      let json = try await ServiceSupport.python(
        "print(json.dumps(sorted(i.get_secret().decode() for i in items(test=sys.argv[1]))))", mark)
      return try JSONDecoder().decode([String].self, from: Data(json.utf8))
    }

    @Test("All items of a schema are in the group with their labels, and the originals are deleted")
    func moves() async throws {
      try await createItem("one", user: "ada")
      try await createItem("two", user: "bob", label: "Bob's")
      try await createItem("other", user: "eve", schema: "org.example.Other")
      #expect(
        try await store.moveSecrets(source(schema: "com.contoso.mail.Password"), to: secrets) == 2)
      #expect(try await secrets.get(service: "imap.contoso.com", account: "ada")?.text == "one")
      #expect(try await secrets.get(service: "imap.contoso.com", account: "bob")?.text == "two")
      #expect(try await secrets.item(service: "imap.contoso.com", account: "bob")?.label == "Bob's")
      #expect(try await originals() == ["other"])
      #expect(
        try await store.moveSecrets(source(schema: "com.contoso.mail.Password"), to: secrets) == 0)
    }

    @Test("Items that secret-tool stored are migrated")
    func secretTool() async throws {
      try await PrivateSession.run(
        "sh",
        [
          "-c", "printf typed | secret-tool store --label=Typed test \"$1\" server smtp.contoso.com user ada",
          "sh",
          mark,
        ])
      #expect(try await store.moveSecrets(source(), to: secrets) == 1)
      #expect(try await secrets.get(service: "smtp.contoso.com", account: "ada")?.text == "typed")
      #expect(try await originals() == [])
    }

    @Test("Only the named collection's items are migrated")
    func collection() async throws {
      let other = PrivateSession.uniqueGroup()
      try await ServiceSupport.write("made", to: store.unrestrictedBackend(for: AccessGroup(other)))
      try await createItem("there", user: "ada", in: other)
      try await createItem("elsewhere", user: "bob")
      #expect(try await store.moveSecrets(source(collection: other), to: secrets) == 1)
      #expect(try await secrets.get(service: "imap.contoso.com", account: "ada")?.text == "there")
      #expect(try await store.moveSecrets(source(collection: "no such collection"), to: secrets) == 0)
      #expect(try await originals() == ["elsewhere"])
    }

    @Test("Retained originals are migrated once")
    func keeps() async throws {
      try await createItem("one", user: "ada")
      #expect(try await store.moveSecrets(source(), to: secrets, keepsOriginals: true) == 1)
      #expect(try await store.moveSecrets(source(), to: secrets, keepsOriginals: true) == 0)
      #expect(try await originals() == ["one"])
    }

    @Test("Nothing is migrated if two items would have one name")
    func duplicates() async throws {
      try await createItem("one", user: "ada")
      try await createItem("two", user: "ada", label: "Another")
      try await createItem("three", user: "bob")
      let code = try await ServiceSupport.code { try await store.moveSecrets(source(), to: secrets) }
      #expect(code == .conflict)
      #expect(try await originals() == ["one", "three", "two"])
      #expect(try await secrets.list().isEmpty)
    }

    @Test("Nothing is migrated if another secret has the name of one item, and that secret remains")
    func alreadyThere() async throws {
      try await secrets.set(Secret("newer"), service: "imap.contoso.com", account: "ada")
      try await createItem("older", user: "ada")
      try await createItem("two", user: "bob")
      let code = try await ServiceSupport.code { try await store.moveSecrets(source(), to: secrets) }
      #expect(code == .conflict)
      #expect(try await originals() == ["older", "two"])
      #expect(try await secrets.list().map(\.account) == ["ada"])
      #expect(try await secrets.get(service: "imap.contoso.com", account: "ada")?.text == "newer")
    }

    @Test("Nothing is migrated if an item lacks an attribute of its name")
    func missingAttribute() async throws {
      try await createItem("one", user: "ada")
      try await createItem("two", user: nil)
      let code = try await ServiceSupport.code { try await store.moveSecrets(source(), to: secrets) }
      #expect(code == .invalidArgument)
      #expect(try await originals() == ["one", "two"])
      #expect(try await secrets.list().isEmpty)
    }

    @Test("A source without attributes is refused")
    func tooWide() async throws {
      let everything = SecretSource(attributes: [:], service: .text("x"))
      let code = try await ServiceSupport.code { try await store.moveSecrets(everything, to: secrets) }
      #expect(code == .invalidArgument)
    }

    @Test("The library's own items are no source")
    func ownItems() async throws {
      try await secrets.set(Secret("one"), service: "a")
      let own = SecretSource(
        attributes: ["group": app.groups[0].name], service: .text("x"), account: .attribute("key"))
      #expect(try await store.moveSecrets(own, to: secrets) == 0)
      #expect(try await secrets.get(service: "a")?.text == "one")
    }

    @Test("Locked items, and items that a locked collection may hide, throw an error and remain")
    func locked() async throws {
      let other = PrivateSession.uniqueGroup()
      let place = store.unrestrictedBackend(for: try AccessGroup(other))
      try await ServiceSupport.write("made", to: place)
      try await createItem("one", user: "ada", in: other)
      try await ServiceSupport.python(
        """
        for c in secretstorage.get_all_collections(connection):
            if c.get_label() == sys.argv[1]: c.lock()
        """, other)
      let hidden = SecretSource(attributes: ["xdg:schema": "com.contoso.\(mark)"], service: .text("x"))
      for source in [source(), source(collection: other), hidden] {
        let code = try await ServiceSupport.code { try await store.moveSecrets(source, to: secrets) }
        #expect(code == .groupLocked)
      }
      #expect(try await ServiceSupport.read(place) == "made")
      #expect(try await originals() == ["one"])
    }
  }
}
