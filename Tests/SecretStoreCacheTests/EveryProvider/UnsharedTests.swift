// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

extension ServiceTests.EveryProvider {
  @Suite("Where no lock is shared, on every provider", .serialized)
  struct UnsharedTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("what another wrote over without having seen it is written again on top of that")
    func writtenOver() async throws {
      _ = try await shared.write("old")
      let stale = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
      let item = try await shared.item()
      let seen = try await shared.write(
        "mine", verifiedAfter: { [shared] _ in try await shared.client.setSecret(stale, of: item) })
      #expect(seen == ["old", "theirs"])
      #expect(try await shared.text() == "mine")
    }

    @Test("a record that two make at once is one, with what both wrote")
    func madeTwice() async throws {
      try await SecretStore().createGroup(shared.group)
      let theirs = try UnsharedGroup.bytes(try shared.anew("theirs"), saying: "theirs", revision: 2)
      let seen = try await shared.write(
        "mine", verifiedAfter: { [shared] _ in try await shared.plant(theirs) })
      #expect(seen == [nil, "theirs"])
      #expect(try await shared.text() == "mine")
      #expect(try await shared.items().count == 1)
    }

    @Test("a removed record is gone")
    func removed() async throws {
      _ = try await shared.write("old")
      try await shared.backend.remove(ServiceSupport.note)
      #expect(try await shared.text() == nil)
    }
  }
}
