// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

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

  @Test("What was written is read, and gone once it was removed")
  func roundTrip() async throws {
    #expect(try await backend.record(for: key) == nil)
    #expect(try await backend.records(matching: .all(.credentials)).isEmpty)
    try await note("a")
    try await note("b")
    let document = try #require(try await backend.record(for: key)?.document())
    #expect(document[member: "note"] == "b")
    #expect(document.sharing.revision == 2)
    #expect(try await backend.records(matching: .all(.credentials)).map(\.key) == [key])
    #expect(try await backend.records(matching: .all(.family)).isEmpty)
    try await backend.remove(key)
    try await backend.remove(key)
    #expect(try await backend.record(for: key) == nil)
  }

  @Test("When the change throws, the record stays as it was")
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

  @Test("A record that can't be read is not written over, and can be removed")
  func corrupt() async throws {
    let bytes = Array("hunter2".utf8)
    await backend.plant(bytes, for: key)
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

  @Test("Those who hold a lease for one key take turns, also after one failed")
  func lease() async throws {
    let occupancy = Occupancy()
    await withTaskGroup { group in
      for number in 0..<50 {
        group.addTask { [backend, key] in
          try? await backend.withRefreshLease(on: key) {
            occupancy.enter()
            for _ in 0..<5 { await Task.yield() }
            occupancy.leave()
            if number.isMultiple(of: 2) { throw Refused() }
          }
        }
      }
    }
    #expect(occupancy.total == 50)
    #expect(occupancy.most == 1)
  }

  @Test("Leases for different keys don't wait for each other")
  func leases() async throws {
    let other = RecordKey.family(homeAccountID: "a", environment: "e", familyID: "1")
    let value = try await backend.withRefreshLease(on: key) {
      try await backend.withRefreshLease(on: other) { 5 }
    }
    #expect(value == 5)
  }
}
