// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

extension ServiceTests {
  @Suite("Locking writers beside a writer that shares no lock", .serialized)
  struct LockingWriterTests {
    private let shared: UnsharedGroup
    private let locking: SecretServiceBackend

    init() throws {
      shared = try UnsharedGroup()
      locking = SecretStore().unrestrictedBackend(for: shared.group)
    }

    private func writers() async throws -> UnsharedLockWriters {
      let attributes = GroupFinder(client: shared.client, group: shared.group).markerAttributes
      let paths = try await shared.client.search(attributes).unlocked
      let marker = try #require(paths.first)
      return try GroupMarker(parsing: try #require(try await shared.client.secrets(of: [marker])[marker]))
        .unsharedLockWriters
    }

    /// Sets the time in the marker.
    private func date(_ secondsAgo: Int) async throws {
      let attributes = GroupFinder(client: shared.client, group: shared.group).markerAttributes
      let path = try #require(try await shared.client.search(attributes).unlocked.first)
      var marker = try GroupMarker(parsing: try #require(try await shared.client.secrets(of: [path])[path]))
      let now = Int(Date().timeIntervalSince1970)
      marker.unsharedLockWriters = UnsharedLockWriters(JSONValue(integerLiteral: now - secondsAgo))
      try await shared.client.setSecret(marker.serialized(), of: path)
    }

    /// Writes with the locks, while an app without them replaces the record without having seen this write.
    private func writeOver() async throws -> String? {
      let stale = try UnsharedGroup.bytes(try await shared.bytes(), saying: "theirs")
      let item = try await shared.item()
      let isDone = Locked(false)
      try await OptimisticWrite.$whileSettling.withValue({ [shared] in
        let wasDone = isDone.withLock { isDone in
          defer { isDone = true }
          return isDone
        }
        if !wasDone { try await shared.client.setSecret(stale, of: item) }
      }) {
        try await OptimisticWrite.$length.withValue(.seconds(30)) {
          try await ServiceSupport.write("mine", to: locking)
        }
      }
      return isDone.withLock { $0 } ? try await shared.text() : nil
    }

    @Test("The group announces the writer before its first write")
    func announced() async throws {
      try await ServiceSupport.write("first", to: locking)
      #expect(try await !writers().requireVerification())
      _ = try await shared.write("second")
      #expect(try await writers().requireVerification())
    }

    @Test("A group that such a writer creates announces it from the beginning")
    func made() async throws {
      _ = try await shared.write("first")
      #expect(try await writers().requireVerification())
    }

    @Test("A change that is overwritten while the locks are held is applied again")
    func verified() async throws {
      try await ServiceSupport.write("first", to: locking)
      _ = try await shared.write("second")
      #expect(try await writeOver() == "mine")
    }

    @Test("A write with the locks is not verified without an announcement within a week")
    func unverified() async throws {
      try await ServiceSupport.write("first", to: locking)
      try await ServiceSupport.write("old", to: locking)
      #expect(try await writeOver() == nil)
      _ = try await shared.write("second")
      try await date(8 * 86_400)
      #expect(try await writeOver() == nil)
      #expect(try await shared.text() == "mine")
    }

    @Test(
      "A writer that shares no lock renews its announcement after a day; others do not",
      arguments: [true, false])
    func renewed(sharesLocks: Bool) async throws {
      _ = try await shared.write("first")
      try await date(2 * 86_400)
      let before = try await writers()
      try await ServiceSupport.write("second", to: sharesLocks ? locking : shared.backend)
      #expect((try await writers() == before) == sharesLocks)
      #expect(try await writers().areRecent() != sharesLocks)
    }

    @Test("A removal with the locks is verified")
    func removed() async throws {
      _ = try await shared.write("first")
      try await shared.removeWhilePlanted(through: locking)
      #expect(try await shared.items() == [])
    }
  }
}
