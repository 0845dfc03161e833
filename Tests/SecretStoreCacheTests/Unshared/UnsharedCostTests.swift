// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("What it costs that no lock is shared", .serialized)
  struct UnsharedCostTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("a write is compared, sent and looked for again; under a shared lock it is only sent")
    func roundTrips() async throws {
      _ = try await shared.write("old")
      let unshared = try await BusMonitor.members { _ = try await shared.write("new") }
      #expect(unshared == ["GetSecrets", "GetSecrets", "SetSecret", "SearchItems", "GetSecrets"])
      let other = SecretStore().unrestrictedBackend(for: shared.group)
      try await ServiceSupport.write("other", to: other)
      let locked = try await BusMonitor.members { try await ServiceSupport.write("last", to: other) }
      #expect(locked == ["GetSecrets", "SetSecret"])
    }

    @Test("nothing but what is found costs more to read")
    func reading() async throws {
      _ = try await shared.write("old")
      _ = try await ServiceSupport.read(shared.backend)
      let members = try await BusMonitor.members { _ = try await ServiceSupport.read(shared.backend) }
      #expect(members == ["GetSecrets"])
    }

    @Test("what is written outside of sandboxes names no writes, and keeps the names of others")
    func names() async throws {
      let other = SecretStore().unrestrictedBackend(for: shared.group)
      try await ServiceSupport.write("first", to: other)
      #expect(try CacheDocument(parsing: try await shared.bytes()).writes == [])
      _ = try await shared.write("second")
      let names = try CacheDocument(parsing: try await shared.bytes()).writes
      #expect(names.count == 1)
      try await ServiceSupport.write("third", to: other)
      #expect(try CacheDocument(parsing: try await shared.bytes()).writes == names)
      for number in 0..<40 {
        let document = try CacheDocument(parsing: try await shared.bytes()).written(by: "\(number)")
        #expect(document.writes.count <= 32 && document.writes.last == "\(number)")
        try await shared.client.setSecret(document.serialized(), of: try await shared.item())
      }
      #expect(try CacheDocument(parsing: try await shared.bytes()).writes.first == "8")
    }
  }
}
