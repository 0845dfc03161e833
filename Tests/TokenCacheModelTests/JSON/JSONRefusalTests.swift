// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@Suite("JSON: refused documents")
struct JSONRefusalTests {
  @Test("Structure", arguments: JSONBadInput.structure)
  func structure(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  @Test("Words", arguments: JSONBadInput.words)
  func words(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  @Test("Numbers", arguments: JSONBadInput.numbers)
  func numbers(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  @Test("Strings", arguments: JSONBadInput.strings)
  func strings(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  private func expectRefusal(_ input: JSONBadInput) {
    let expected = JSONError(reason: input.reason, offset: input.offset)
    #expect(throws: expected) { try JSONValue(parsing: input.bytes) }
    guard !input.bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
    // A byte order mark is skipped but counts.
    let marked = JSONError(reason: input.reason, offset: input.offset + 3)
    #expect(throws: marked) { try JSONValue(parsing: [0xEF, 0xBB, 0xBF] + input.bytes) }
  }

  @Test("A duplicate key is found at any place of a large object", arguments: [0, 1, 15, 16, 17, 500, 998])
  func duplicateAmongMany(first: Int) {
    let members = (0..<999).map { #""key \#($0)":\#($0)"# }
    let valid = "{" + members.joined(separator: ",")
    #expect(throws: Never.self) { try JSONValue(parsing: (valid + "}").utf8) }
    let duplicate = valid + #","key \#(first)":null}"#
    #expect(throws: JSONError(reason: .duplicateKey, offset: valid.utf8.count + 1)) {
      try JSONValue(parsing: duplicate.utf8)
    }
  }

  @Test("A document cut at any byte ends unexpectedly")
  func truncation() throws {
    let bytes = Array(JSONSamples.cache.utf8)
    #expect(throws: Never.self) { try JSONValue(parsing: bytes) }
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: cut) }
      #expect(error == JSONError(reason: .unexpectedEnd, offset: count))
    }
  }

  @Test("A document followed by any byte but white space is refused")
  func trailingByte() {
    for byte in UInt8.min...UInt8.max {
      let isWhiteSpace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      let value = try? JSONValue(parsing: Array("[]".utf8) + [byte])
      #expect((value != nil) == isWhiteSpace)
    }
  }

  @Test("An error shows the reason and the offset but nothing of the document")
  func errorDescription() throws {
    let error = try #require(throws: JSONError.self) {
      try JSONValue(parsing: #"{"hunter2":"hunter2","hunter2":1}"#.utf8)
    }
    #expect(error.description == "invalid JSON: duplicate key in an object at byte 21")
    #expect("\(error.reason)" == "duplicate key in an object")
    var dumped = ""
    dump(error, to: &dumped)
    for text in [String(describing: error), String(reflecting: error), "\(error as any Error)", dumped] {
      #expect(!text.contains("hunter2"))
    }
  }

  @Test("Every reason has a text of its own")
  func reasons() {
    let reasons: [JSONError.Reason] = [
      .unexpectedEnd, .unexpectedByte, .invalidLiteral, .invalidNumber, .controlCharacter, .invalidEscape,
      .loneSurrogate, .invalidUTF8, .duplicateKey, .trailingComma, .nestingTooDeep, .trailingContent,
    ]
    #expect(Set(reasons).count == 12)
    #expect(Set(reasons.map(\.description)).count == 12)
    #expect(JSONError.Reason.nestingTooDeep.description.contains("\(JSONParser.maximumDepth)"))
  }
}
