// SPDX-License-Identifier: MIT

import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

@Suite("Record copies")
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

  @Test("A single item has no copies, also beside an empty one")
  mutating func one() throws {
    #expect(outdated([try Self.content(1), [], nil]) == nil)
  }

  @Test("All copies below the highest revision are outdated")
  mutating func older() throws {
    #expect(outdated([try Self.content(1), try Self.content(3), try Self.content(2)]) == ["2", "0"])
  }

  @Test(
    "A copy elsewhere is outdated unless its revision is higher",
    arguments: [(8, true), (9, true), (10, false)])
  mutating func elsewhere(revision: Int, isOutdated: Bool) throws {
    let key = GroupSample.credentials()
    sample.mark()
    let own = sample.add(key, try Self.content(9))
    let copy = sample.add(key, try Self.content(revision, secret: "AccessToken"), in: GroupSample.login)
    let copies = try #require(RecordCopies.all(in: sample.inventory).first)
    #expect(copies.newest.path == own && copies.outdated.map(\.path) == (isOutdated ? [copy] : []))
    #expect(copies.isUndecided != isOutdated)
  }

  @Test("A copy elsewhere counts where the group's own can't be read")
  func elsewhereReadable() throws {
    let key = GroupSample.credentials()
    var damaged = try GroupSample()
    damaged.mark()
    damaged.add(key, Array("nonsense".utf8))
    let readable = damaged.add(key, try Self.content(9), in: GroupSample.login)
    #expect(RecordCopies.all(in: damaged.inventory).first?.newest.path == readable)
  }

  @Test("Of two identical copies the one whose path sorts first remains")
  mutating func alike() throws {
    let content = try Self.content(1)
    #expect(outdated([content, content]) == ["1"])
  }

  @Test("Only a copy that can be read has the user sign in")
  mutating func oneReadable() throws {
    sample.add(GroupSample.credentials(), try Self.content(1))
    sample.add(GroupSample.credentials(), Array("nonsense".utf8))
    #expect(GroupDuplicatesCheck(inventory: sample.inventory).run().status == .ok)
    sample.add(GroupSample.credentials(), try Self.content(1, secret: "AccessToken"))
    #expect(GroupDuplicatesCheck(inventory: sample.inventory).run().remedy == GeneralRemedy.signIn)
  }

  @Test("Two different copies of one revision both remain")
  mutating func differing() throws {
    #expect(outdated([try Self.content(1), try Self.content(1, secret: "AccessToken")]) == [])
  }

  @Test("An unreadable copy remains")
  mutating func unreadable() throws {
    #expect(outdated([Array("nonsense".utf8), try Self.content(9)]) == [])
  }

  @Test("Records of two clients are not copies of each other")
  mutating func clients() throws {
    for client in ["a", "b"] {
      sample.add(GroupSample.credentials(client), try GroupSample.document(GroupSample.credentials(client)))
    }
    #expect(RecordCopies.all(in: sample.inventory).isEmpty)
  }
}
