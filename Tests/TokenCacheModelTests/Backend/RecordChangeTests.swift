// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Record change")
struct RecordChangeTests {
  private struct Refused: Error {}

  private let key = RecordKey.credentials(homeAccountID: "a", environment: "e", clientID: "c")

  private func document(_ text: String, revision: Int = 0) -> CacheDocument {
    var document = CacheDocument()
    document[member: "note"] = .string(text)
    document.metadata.revision = revision
    return document
  }

  private func document(of change: RecordChange) -> CacheDocument? {
    if case .write(let document) = change { document } else { nil }
  }

  @Test("A new document is written as its record with revision 1")
  func new() throws {
    let (outcome, action) = try RecordChange.apply(
      { stored in
        #expect(stored == nil)
        stored = document("new")
        return 5
      }, to: nil, key: key)
    #expect(outcome == 5)
    let written = try #require(document(of: action))
    #expect(written.metadata.record == key)
    #expect(written.metadata.revision == 1)
    #expect(written[member: "note"] == "new")
  }

  @Test("A changed document is written with the next revision, whatever revision the change sets")
  func changed() throws {
    let stored = document("old", revision: 7)
    let (_, action) = try RecordChange.apply(
      { document in
        document?[member: "note"] = "new"
        document?.metadata.revision = 100
        document?.metadata.record = nil
      }, to: stored, key: key)
    let written = try #require(document(of: action))
    #expect(written.metadata.revision == 8)
    #expect(written.metadata.record == key)
  }

  @Test("An unchanged or absent document is not written")
  func unchanged() throws {
    for stored in [document("same", revision: 3), nil] {
      let (_, action) = try RecordChange.apply({ _ in }, to: stored, key: key)
      guard case .nothing = action else {
        Issue.record("the record would be written")
        return
      }
    }
  }

  @Test("A document whose members only changed their order is unchanged")
  func order() throws {
    let stored = try CacheDocument(parsing: Array(#"{"a":1,"b":2}"#.utf8))
    let other = try CacheDocument(parsing: Array(#"{"b":2,"a":1}"#.utf8))
    let (_, action) = try RecordChange.apply({ $0 = other }, to: stored, key: key)
    #expect(document(of: action) == nil)
  }

  @Test("A document set to nil is removed")
  func removed() throws {
    let (_, action) = try RecordChange.apply({ $0 = nil }, to: document("old"), key: key)
    guard case .remove = action else {
      Issue.record("not removed")
      return
    }
  }

  @Test("An error that the change throws is rethrown")
  func thrown() {
    #expect(throws: Refused.self) {
      _ = try RecordChange.apply(
        { stored in
          stored = nil
          throw Refused()
        }, to: document("old"), key: key)
    }
  }
}
