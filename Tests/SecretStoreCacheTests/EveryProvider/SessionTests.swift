// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Sessions that the service no longer knows", .serialized)
  struct SessionTests {
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
        arguments: { [] }, read: { _ in })
    }

    @Test("a read opens another session")
    func read() async throws {
      try await ServiceSupport.write("kept", to: backend)
      try await closeSession()
      #expect(try await ServiceSupport.read(backend) == "kept")
    }

    @Test("a change opens another session, and makes no second item")
    func change() async throws {
      try await ServiceSupport.write("first", to: backend)
      let attributes = ["kind": "group-data", "group": backend.group.name]
      let items = try await backend.client.search(attributes).unlocked
      try await closeSession()
      try await backend.client.setSecret(Array("{\"Note\":\"second\"}".utf8), of: try #require(items.first))
      #expect(try await backend.client.search(attributes).unlocked == items)
      let secrets = try await backend.client.secrets(of: items)
      #expect(secrets.values.map { String(decoding: $0, as: UTF8.self) } == ["{\"Note\":\"second\"}"])
    }

    @Test("a new item opens another session, and is one item")
    func newItem() async throws {
      try await ServiceSupport.write("first", to: backend)
      let document = try ServiceSupport.document("second")
      try await closeSession()
      try await backend.update(.groupData("second")) { $0 = document }
      let records = try await backend.records(matching: .all(.groupData))
      #expect(records.count == 2)
      let items = try await backend.client.search(["kind": "group-data", "group": backend.group.name])
      #expect(items.unlocked.count == 2)
    }
  }
}
