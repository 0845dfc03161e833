// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache

@Suite("Which copies of a record nobody misses")
struct RecordCopiesTests {
  private var sample: GroupSample

  init() throws { sample = try GroupSample() }

  private mutating func outdated(_ contents: [[UInt8]?]) -> [String]? {
    let paths = contents.map { sample.add(GroupSample.credentials(), $0).text }
    return RecordCopies.all(in: sample.inventory).first?.outdated
      .map { item in String(paths.firstIndex(of: item.path.text) ?? -1) }
  }

  private static func content(_ revision: Int, secret: String = "RefreshToken") throws -> [UInt8] {
    try GroupSample.document(
      GroupSample.credentials(), revision: revision, [GroupSample.credential(secret)])
  }

  @Test("One item is no copy, and neither is an empty one beside it")
  mutating func one() throws {
    #expect(outdated([try Self.content(1), [], nil]) == nil)
  }

  @Test("Of several, all but the highest revision are outdated")
  mutating func older() throws {
    #expect(outdated([try Self.content(1), try Self.content(3), try Self.content(2)]) == ["2", "0"])
  }

  @Test("Of two alike the one whose path comes first stays")
  mutating func alike() throws {
    let content = try Self.content(1)
    #expect(outdated([content, content]) == ["1"])
  }

  @Test("Two of one revision that differ both stay")
  mutating func differing() throws {
    #expect(outdated([try Self.content(1), try Self.content(1, secret: "AccessToken")]) == [])
  }

  @Test("One that can't be read stays, whatever is beside it")
  mutating func unreadable() throws {
    #expect(outdated([Array("nonsense".utf8), try Self.content(9)]) == [])
  }

  @Test("Records of two clients are no copies of each other")
  mutating func clients() throws {
    for client in ["a", "b"] {
      sample.add(GroupSample.credentials(client), try GroupSample.document(GroupSample.credentials(client)))
    }
    #expect(RecordCopies.all(in: sample.inventory).isEmpty)
  }
}
