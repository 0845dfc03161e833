// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("In-memory back end")
struct InMemoryBackendTests {
  private struct Refused: Error {}

  private let backend = InMemoryBackend()
  private let key = RecordKey.credentials(homeAccountID: "a", environment: "e", clientID: "c")

  private func note(_ text: String) async throws {
    try await backend.update(key) { stored in
      var document = stored ?? CacheDocument()
      document[member: "note"] = .string(text)
      stored = document
    }
  }

  @Test("A written record is read, and is absent after its removal")
  func roundTrip() async throws {
    #expect(try await backend.record(for: key) == nil)
    #expect(try await backend.records(matching: .all(.credentials)).isEmpty)
    try await note("a")
    try await note("b")
    let document = try #require(try await backend.record(for: key)?.document())
    #expect(document[member: "note"] == "b")
    #expect(document.metadata.revision == 2)
    #expect(try await backend.records(matching: .all(.credentials)).map(\.key) == [key])
    #expect(try await backend.records(matching: .all(.family)).isEmpty)
    try await backend.remove(key)
    try await backend.remove(key)
    #expect(try await backend.record(for: key) == nil)
  }

  @Test("A change that throws leaves the record unchanged")
  func throwing() async throws {
    try await note("a")
    await #expect(throws: Refused.self) {
      try await backend.update(key) { stored in
        stored = nil
        throw Refused()
      }
    }
    #expect(try await backend.record(for: key)?.document()[member: "note"] == "a")
  }

  @Test("An unreadable record is not overwritten and can be removed")
  func corrupt() async throws {
    let bytes = Array("hunter2".utf8)
    await backend.storeRaw(bytes, for: key)
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await note("a") }
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await backend.record(for: key)?.document()
    }
    try await backend.remove(key)
    #expect(try await backend.record(for: key) == nil)
  }

  @Test("In a cancelled task nothing is read or written")
  func cancelled() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      await #expect(throws: CancellationError.self) { try await note("a") }
      await #expect(throws: CancellationError.self) { try await backend.record(for: key) }
      await #expect(throws: CancellationError.self) { try await backend.records(matching: .all(.family)) }
      await #expect(throws: CancellationError.self) { try await backend.remove(key) }
    }
    task.cancel()
    await task.value
    #expect(try await backend.record(for: key) == nil)
  }

  @Test("Holders of a lease for one key run one at a time, also after one failed")
  func lease() async throws {
    let occupancy = Occupancy()
    await withTaskGroup { group in
      for number in 0..<16 {
        group.addTask { [backend, key] in
          try? await backend.withRefreshLease(on: key) {
            occupancy.enter()
            await Task.yield()
            occupancy.leave()
            if number.isMultiple(of: 2) { throw Refused() }
          }
        }
      }
    }
    #expect(occupancy.total == 16)
    #expect(occupancy.most == 1)
  }

  @Test("A task that is cancelled while it waits for a lease stops waiting, and the others get the lease")
  func cancelledWait() async throws {
    let (started, gate) = (OneWayGate(), OneWayGate())
    let holder = Task { [backend, key] in
      try await backend.withRefreshLease(on: key) {
        await started.open()
        await gate.wait()
      }
    }
    await started.wait()
    let waiting = (0..<3).map { number in
      Task { [backend, key] in try await backend.withRefreshLease(on: key) { number } }
    }
    waiting[1].cancel()
    await #expect(throws: CancellationError.self) { try await waiting[1].value }
    await gate.open()
    try await holder.value
    #expect(try await [waiting[0].value, waiting[2].value] == [0, 2])
  }

  @Test("Leases for different keys do not wait for each other")
  func leases() async throws {
    let other = RecordKey.family(homeAccountID: "a", environment: "e", familyID: "1")
    let value = try await backend.withRefreshLease(on: key) {
      try await backend.withRefreshLease(on: other) { 5 }
    }
    #expect(value == 5)
  }
}
