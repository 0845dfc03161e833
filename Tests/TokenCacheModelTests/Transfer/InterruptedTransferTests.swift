// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

/// The progress of imports and exports, and imports that end in the middle.
@Suite("Interrupted transfers")
struct InterruptedTransferTests {
  /// What a transfer has reported.
  private final class Reports: Sendable {
    private let reported = Locked<[[Int]]>([])

    var all: [[Int]] { reported.withLock(\.self) }

    /// Notes a report; after this many items it cancels the task of the transfer.
    func note(_ completed: Int, _ total: Int, cancelsAt limit: Int? = nil) {
      reported.withLock { $0.append([completed, total]) }
      if completed == limit { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
    }
  }

  private static let people = (1...4).map { number in
    TestUser(
      uid: "9f4880d8-80ba-4c40-97bc-f7a23c70308\(number)", utid: TestUser.anna.utid,
      username: "person\(number)@contoso.com")
  }

  /// A group with records of each kind that an import writes.
  private static func signedIn(
    _ people: some Sequence<TestUser>, from first: Int = 0
  ) async throws -> SharedGroup {
    let group = SharedGroup()
    for (number, person) in people.enumerated() {
      try await group.app("mail").signIn(person.response(first + number, family: "1"))
      try await group.app("office", client: SharedGroup.office).signIn(person.response(first + 50 + number))
    }
    return group
  }

  /// The file to import: of the first three people, and an unknown section.
  private static func file() async throws -> [UInt8] {
    let group = try await signedIn(people.prefix(3), from: 100)
    let json = try await CacheTransfer(backend: group.backend).exportUnified().json
    var members = try #require(try JSONValue(parsing: json).objectValue)
    members["Extra"] = ["a": 1]
    return members.bytes
  }

  private static func options(replacing: Bool) -> ImportOptions {
    var options = ImportOptions()
    options.replaces = replacing
    return options
  }

  /// Runs a transfer in a task of its own, which a report may cancel.
  private static func run<Outcome: Sendable>(
    _ transfer: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    try await Task { try await transfer() }.value
  }

  @Test("An import reports each record that it writes", arguments: [false, true])
  func reported(replacing: Bool) async throws {
    let group = try await Self.signedIn(Self.people.suffix(2))
    let reports = Reports()
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    let bytes = try await Self.file()
    let options = Self.options(replacing: replacing)
    let summary = try await transfer.importUnified(bytes, options: options) { reports.note($0, $1) }
    let total = try #require(reports.all.first?.last)
    #expect(reports.all == (0...total).map { [$0, total] })
    // A removal also takes records without a token.
    #expect(total >= summary.added + summary.updated + summary.removed && summary.added > 0)
    #expect(replacing == (summary.removed > 0))
    let again = Reports()
    _ = try await transfer.importUnified(bytes) { again.note($0, $1) }
    #expect(again.all.isEmpty, "an import with nothing to do reported something")
  }

  @Test(
    "An import that was cancelled after any record goes on, and ends as one that was not",
    arguments: [false, true])
  func cancelled(replacing: Bool) async throws {
    let bytes = try await Self.file()
    let options = Self.options(replacing: replacing)
    let reference = try await Self.signedIn(Self.people.suffix(2))
    let whole = Reports()
    _ = try await CacheTransfer(backend: reference.backend, clock: reference.clock)
      .importUnified(bytes, options: options) { whole.note($0, $1) }
    let total = try #require(whole.all.first?.last)
    for limit in 0..<total {
      let group = try await Self.signedIn(Self.people.suffix(2))
      let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
      let before = try await group.stored()
      let reports = Reports()
      await #expect(throws: CancellationError.self) {
        _ = try await Self.run {
          try await transfer.importUnified(bytes, options: options) { reports.note($0, $1, cancelsAt: limit) }
        }
      }
      #expect(reports.all.last == [limit, total])
      let after = try await group.stored()
      let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      #expect(changed.count == limit, "\(limit) were reported, and \(changed.count) are changed")
      _ = try await transfer.importUnified(bytes, options: options)
      #expect(try await group.stored() == reference.stored(), "after \(limit) of \(total)")
    }
  }

  @Test("An import of ADAL's items that was cancelled after any item goes on", arguments: [false, true])
  func cancelledADAL(replacing: Bool) async throws {
    let file = ADALFile(tokens: Self.people.prefix(3).map { $0.legacyRefreshToken("new \($0.username)") })
    let options = Self.options(replacing: replacing)
    let reference = SharedGroup()
    try await reference.importing(Self.people[3].legacyRefreshToken("old"))
    _ = try await ADALTransfer(backend: reference.backend, clock: reference.clock)
      .importFile(file, options: options)
    let total = replacing ? 4 : 3
    for limit in 0..<total {
      let group = SharedGroup()
      try await group.importing(Self.people[3].legacyRefreshToken("old"))
      let transfer = ADALTransfer(backend: group.backend, clock: group.clock)
      let reports = Reports()
      await #expect(throws: CancellationError.self) {
        _ = try await Self.run {
          try await transfer.importFile(file, options: options) { reports.note($0, $1, cancelsAt: limit) }
        }
      }
      #expect(reports.all == (0...limit).map { [$0, total] })
      _ = try await transfer.importFile(file, options: options)
      #expect(try await group.stored() == reference.stored(), "after \(limit) of \(total)")
    }
  }

  @Test("An export reports all records once they are read")
  func exported() async throws {
    let group = try await Self.signedIn(Self.people)
    let reports = Reports()
    _ = try await CacheTransfer(backend: group.backend).exportUnified { reports.note($0, $1) }
    // One for each person and client, and one for each family.
    #expect(reports.all == [[12, 12]])
    try await group.importing(Self.people[0].legacyRefreshToken())
    _ = try await ADALTransfer(backend: group.backend).export { reports.note($0, $1) }
    #expect(reports.all.last == [1, 1])
  }
}
