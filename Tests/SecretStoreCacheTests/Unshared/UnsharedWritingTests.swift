// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheContract

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Where no lock is shared", .serialized)
  struct UnsharedWritingTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("the back end contract is kept", arguments: TokenCacheContract.cases)
    func contract(_ rule: ContractCase) async throws {
      let group = shared.group
      try await rule.check(
        ContractEnvironment(
          backend: shared.backend, other: UnsharedGroup.store().unrestrictedBackend(for: group),
          plant: { try await PlantedItem.store($0, for: $1, in: group) }))
    }

    // MARK: Before the write

    @Test("what another wrote after the reading is what the change is made from")
    func writtenBefore() async throws {
      _ = try await shared.write("old")
      let seen = try await shared.write("mine") { [shared] in
        let bytes = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
        try await shared.client.setSecret(bytes, of: try await shared.item())
      }
      #expect(seen == ["old", "theirs"])
      #expect(try await shared.text() == "mine")
    }

    @Test("a record that another removed after the reading is not written with what was in it")
    func removedBefore() async throws {
      _ = try await shared.write("old")
      let seen = try await shared.write("mine") { [shared] in
        _ = try await shared.client.deleteItem(try await shared.item())
      }
      #expect(seen == ["old", nil])
      #expect(try await shared.text() == "mine")
    }

    @Test("a record that another made after the reading is not made twice")
    func madeBefore() async throws {
      try await SecretStore().createGroup(shared.group)
      let seen = try await shared.write("mine") { [shared] in
        try await shared.plant(try shared.anew("theirs"))
      }
      #expect(seen == [nil, "theirs"])
      #expect(try await shared.text() == "mine")
      #expect(try await shared.items().count == 1)
    }

    @Test("a write that comes too late after the comparison is not sent")
    func late() async throws {
      _ = try await shared.write("old")
      let item = try await shared.item()
      let before = try await shared.bytes()
      try await WriteWindow.$current.withValue(WriteWindow()) {
        try await Task.sleep(for: WriteWindow.length + .milliseconds(10))
        await #expect(throws: StaleChange.self) {
          try await shared.client.setSecret(Array("{}".utf8), of: item)
        }
        await #expect(throws: StaleChange.self) { _ = try await shared.client.deleteItem(item) }
        await #expect(throws: StaleChange.self) {
          _ = try await shared.client.createItem(
            in: item.parent, label: "late", attributes: shared.attributes, schema: ItemAttributes.schema,
            secret: [])
        }
      }
      #expect(try await shared.bytes() == before)
    }

    // MARK: After it

    @Test("what another wrote over without having seen it is written again on top of that")
    func writtenOver() async throws {
      _ = try await shared.write("old")
      let stale = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
      let item = try await shared.item()
      let seen = try await shared.write(
        "mine",
        verifiedAfter: { [shared] _ in
          try await shared.client.setSecret(stale, of: item)
        })
      #expect(seen == ["old", "theirs"])
      #expect(try await shared.text() == "mine")
    }

    @Test("what another went on from has been seen, and is not written again")
    func continued() async throws {
      _ = try await shared.write("old")
      let item = try await shared.item()
      let seen = try await shared.write(
        "mine",
        verifiedAfter: { [shared] bytes in
          try await shared.client.setSecret(try UnsharedGroup.bytes(bytes, saying: "theirs"), of: item)
        })
      #expect(seen == ["old"])
      #expect(try await shared.text() == "theirs")
    }

    @Test("a record that another removed without having seen it is made again")
    func removedAfter() async throws {
      _ = try await shared.write("old")
      let item = try await shared.item()
      let seen = try await shared.write(
        "mine", verifiedAfter: { [shared] _ in _ = try await shared.client.deleteItem(item) })
      #expect(seen == ["old", nil])
      #expect(try await shared.text() == "mine")
    }

    // MARK: Ends

    @Test("a write that others write over until the deadline ends in leaseTimedOut")
    func contended() async throws {
      _ = try await shared.write("old")
      let stale = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
      let item = try await shared.item()
      let hasty = UnsharedGroup.store(timeout: .seconds(3)).unrestrictedBackend(for: shared.group)
      let code = try await WriteWindow.$whileSettling.withValue({ [shared] in
        try await shared.client.setSecret(stale, of: item)
      }) { try await ServiceSupport.code { try await ServiceSupport.write("mine", to: hasty) } }
      // The deadline can also pass in a call of the last attempt.
      #expect(code == .leaseTimedOut || code == .timedOut)
      #expect(try await shared.text() == "theirs")
    }

    @Test("a write that is cancelled before it is sent writes nothing")
    func cancelledBefore() async throws {
      _ = try await shared.write("old")
      let (isReading, reading) = AsyncStream<Void>.makeStream()
      let (isCancelled, cancelled) = AsyncStream<Void>.makeStream()
      let call = Task { [shared] in
        try await shared.write("mine") {
          reading.finish()
          for await _ in isCancelled {}
        }
      }
      for await _ in isReading {}
      call.cancel()
      cancelled.finish()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await shared.text() == "old")
    }

    @Test("a write that is cancelled after it was sent is verified all the same")
    func cancelledAfter() async throws {
      _ = try await shared.write("old")
      let (sent, sending) = AsyncStream.makeStream(of: Void.self)
      let call = Task { [shared] in try await shared.write("mine", verifiedAfter: { _ in sending.finish() }) }
      for await _ in sent {}
      call.cancel()
      #expect(try await call.value == ["old"])
      #expect(try await shared.text() == "mine")
    }
  }
}
