// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Sessions that the service has lost", .serialized)
  struct LostSessionTests {
    private let backend: SecretServiceBackend

    init() throws {
      _ = try PrivateSession.control
      backend = SecretStore().unrestrictedBackend(for: try AccessGroup(PrivateSession.uniqueGroup()))
    }

    private func closeSession() async throws {
      let handle = try await backend.client.connection()
      let session = try #require(handle.session)
      try await handle.call(
        .waited, path: session, interface: "org.freedesktop.Secret.Session", method: "Close",
        arguments: { [] }, reply: "()", read: { _ in })
    }

    @Test("A read opens a new session")
    func read() async throws {
      try await ServiceSupport.write("kept", to: backend)
      try await closeSession()
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("A change opens a new session and creates no second item")
    func change() async throws {
      try await ServiceSupport.write("first", to: backend)
      let attributes = ["kind": "group-data", "group": backend.group.name]
      let items = try await backend.client.search(attributes).unlocked
      try await closeSession()
      try await backend.client.setSecret(Secret("{\"Note\":\"second\"}"), of: try #require(items.first))
      #expect(try await backend.client.search(attributes).unlocked == items)
      let secrets = try await backend.client.secrets(of: items)
      #expect(secrets.values.map(\.text) == ["{\"Note\":\"second\"}"])
    }

    @Test("A session lost between read and write creates no second item and loses nothing")
    func lostBetweenReadAndWrite() async throws {
      try await ServiceSupport.write("first", to: backend)
      let attributes = ["kind": "group-data", "group": backend.group.name]
      let items = try await backend.client.search(attributes).unlocked
      let handle = try await backend.client.connection()
      let document = try ServiceSupport.document("second")
      try await backend.update(ServiceSupport.note) { stored in
        handle.markDead()
        stored = document
      }
      #expect(try await backend.client.search(attributes).unlocked == items)
      #expect(try await ServiceSupport.read(backend) == "second")
    }

    @Test("A new item opens a new session and is stored once")
    func newItem() async throws {
      let client = backend.client
      try await ServiceSupport.write("first", to: backend)
      let attributes = ["group": backend.group.name, "kind": "test"]
      let place = try #require(try await client.search(["group": backend.group.name]).unlocked.first).parent
      try await closeSession()
      let item = try await client.createItem(
        in: place, label: "Test", attributes: attributes, schema: "org.example.Test",
        secret: Secret([1, 2, 3]))
      #expect(try await client.search(attributes).unlocked == [item])
      #expect(try await client.secrets(of: [item]) == [item: Secret([1, 2, 3])])
    }
  }
}
