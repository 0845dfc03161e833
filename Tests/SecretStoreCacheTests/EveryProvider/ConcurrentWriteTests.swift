// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Concurrent writes without a shared lock", .serialized)
  struct ConcurrentWriteTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("A change that an unaware writer overwrote is applied again to that writer's version")
    func writtenOver() async throws {
      _ = try await shared.write("old")
      let stale = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
      let item = try await shared.item()
      let seen = try await shared.write(
        "mine", verifiedAfter: { [shared] _ in try await shared.client.setSecret(stale, of: item) })
      #expect(seen == ["old", "theirs"])
      #expect(try await shared.text() == "mine")
    }

    @Test("A record that two writers create at once is one record with both changes")
    func madeTwice() async throws {
      try await SecretStore().createGroup(shared.group)
      let theirs = try UnsharedGroup.bytes(try shared.newRecord("theirs"), saying: "theirs", revision: 2)
      let seen = try await shared.write(
        "mine", verifiedAfter: { [shared] _ in try await shared.replaceItem(theirs) })
      #expect(seen == [nil, "theirs"])
      #expect(try await shared.text() == "mine")
      #expect(try await shared.items().count == 1)
    }

    @Test("A removed record is absent")
    func removed() async throws {
      _ = try await shared.write("old")
      try await shared.backend.remove(ServiceSupport.note)
      #expect(try await shared.text() == nil)
    }
  }
}
