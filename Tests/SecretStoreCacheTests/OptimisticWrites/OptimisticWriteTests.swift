// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheContract

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Optimistic write", .serialized)
  struct OptimisticWriteTests {
    private let shared: UnsharedGroup

    init() throws { shared = try UnsharedGroup() }

    @Test("It meets the back end contract", arguments: TokenCacheContract.cases)
    func contract(_ rule: ContractCase) async throws {
      let group = shared.group
      func backend() -> SecretServiceBackend {
        UnsharedGroup.store(timeout: .seconds(60), leaseTimeout: rule.leaseTimeout).unrestrictedBackend(
          for: group)
      }
      // A debug build takes longer than usual to compare a large document.
      let hasLarge = ["verbatim", "whole-reads"].contains(rule.rule)
      let length = hasLarge ? .seconds(5) : OptimisticWrite.length
      try await OptimisticWrite.$length.withValue(length) {
        try await rule.check(
          ContractEnvironment(
            backend: backend(), other: backend(),
            storeRaw: { try await PlantedItem.store($0, for: $1, in: group) },
            killLeaseHolder: { try await ServiceSupport.killLeaseHolder(of: $0, in: group) }))
      }
    }

    // MARK: Before the write

    @Test("A change starts from what another writer stored after the read")
    func writtenBefore() async throws {
      _ = try await shared.write("old")
      let seen = try await shared.write("mine") { [shared] in
        let bytes = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
        try await shared.client.setSecret(bytes, of: try await shared.item())
      }
      #expect(seen == ["old", "theirs"])
      #expect(try await shared.text() == "mine")
    }

    @Test("A record that another writer removed after the read is not written with its old content")
    func removedBefore() async throws {
      _ = try await shared.write("old")
      let seen = try await shared.write("mine") { [shared] in
        _ = try await shared.client.deleteItem(try await shared.item())
      }
      #expect(seen == ["old", nil])
      #expect(try await shared.text() == "mine")
    }

    @Test("A record that another writer created after the read is not created twice")
    func madeBefore() async throws {
      try await SecretStore().createGroup(shared.group)
      let seen = try await shared.write("mine") { [shared] in
        try await shared.replaceItem(try shared.newRecord("theirs"))
      }
      #expect(seen == [nil, "theirs"])
      #expect(try await shared.text() == "mine")
      #expect(try await shared.items().count == 1)
    }

    @Test("A write that comes too late after the comparison is not sent")
    func late() async throws {
      _ = try await shared.write("old")
      let item = try await shared.item()
      let before = try await shared.bytes()
      let late = OptimisticWrite()
      try await Task.sleep(for: OptimisticWrite.length + .milliseconds(10))
      await #expect(throws: WriteConflict.self) {
        try await shared.client.setSecret(Array("{}".utf8), of: item, during: late)
      }
      await #expect(throws: WriteConflict.self) { _ = try await shared.client.deleteItem(item, during: late) }
      await #expect(throws: WriteConflict.self) {
        _ = try await shared.client.createItem(
          in: item.parent, label: "late", attributes: shared.attributes, schema: ItemAttributes.schema,
          secret: [], during: late)
      }
      #expect(try await shared.bytes() == before)
    }

    // MARK: After it

    @Test("A change that an unaware writer overwrote is applied again to that writer's version")
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

    @Test("A change on which another writer's version builds is not written again")
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

    @Test("A record that an unaware writer removed is created again")
    func removedAfter() async throws {
      _ = try await shared.write("old")
      let item = try await shared.item()
      let seen = try await shared.write(
        "mine", verifiedAfter: { [shared] _ in _ = try await shared.client.deleteItem(item) })
      #expect(seen == ["old", nil])
      #expect(try await shared.text() == "mine")
    }

    // MARK: Deadline and cancellation

    @Test("A write that others overwrite until the deadline throws lockTimedOut")
    func contended() async throws {
      _ = try await shared.write("old")
      let stale = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
      let item = try await shared.item()
      let hasty = UnsharedGroup.store(timeout: .seconds(3)).unrestrictedBackend(for: shared.group)
      let code = try await OptimisticWrite.$whileSettling.withValue({ [shared] in
        try await shared.client.setSecret(stale, of: item)
      }) { try await ServiceSupport.code { try await ServiceSupport.write("mine", to: hasty) } }
      // The deadline can also pass in a call of the last attempt.
      #expect(code == .lockTimedOut || code == .timedOut)
      #expect(try await shared.text() == "theirs")
    }

    @Test("A write that is cancelled before it is sent writes nothing")
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

    @Test("A write that is cancelled after it was sent is verified")
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
