// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Cost of optimistic writes", .serialized)
  struct OptimisticWriteCostTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("A write is compared, sent and verified; under a lock that all share it is only sent")
    func roundTrips() async throws {
      let other = SecretStore().unrestrictedBackend(for: shared.group)
      try await ServiceSupport.write("first", to: other)
      try await ServiceSupport.write("other", to: other)
      let locked = try await BusMonitor.members { try await ServiceSupport.write("last", to: other) }
      #expect(locked == ["SearchItems", "GetSecrets", "SetSecret"])
      _ = try await shared.write("old")
      _ = try await shared.write("again")
      let unshared = try await BusMonitor.members { _ = try await shared.write("new") }
      #expect(
        unshared == ["GetSecrets", "GetSecrets", "GetSecrets", "SetSecret", "SearchItems", "GetSecrets"])
      let warned = try await BusMonitor.members { try await ServiceSupport.write("warned", to: other) }
      #expect(warned.filter { $0 == "SetSecret" }.count == 1 && warned.last == "GetSecrets")
    }

    @Test("A read costs more only by the writes that it finds")
    func reading() async throws {
      _ = try await shared.write("old")
      _ = try await ServiceSupport.read(shared.backend)
      let members = try await BusMonitor.members { _ = try await ServiceSupport.read(shared.backend) }
      #expect(members == ["GetSecrets"])
    }

    @Test("A write under a shared lock stores no write identifiers, and each write without one does")
    func names() async throws {
      let other = SecretStore().unrestrictedBackend(for: shared.group)
      try await ServiceSupport.write("first", to: other)
      #expect(try CacheDocument(parsing: try await shared.bytes()).writes == [])
      _ = try await shared.write("second")
      let names = try CacheDocument(parsing: try await shared.bytes()).writes
      #expect(names.count == 1)
      try await ServiceSupport.write("third", to: other)
      let more = try CacheDocument(parsing: try await shared.bytes()).writes
      #expect(more.count == 2 && more.first == names.first)
      for number in 0..<40 {
        let document = try CacheDocument(parsing: try await shared.bytes()).written(by: "\(number)")
        #expect(document.writes.count <= 32 && document.writes.last == "\(number)")
        try await shared.client.setSecret(document.serialized(), of: try await shared.item())
      }
      #expect(try CacheDocument(parsing: try await shared.bytes()).writes.first == "8")
    }
  }
}
