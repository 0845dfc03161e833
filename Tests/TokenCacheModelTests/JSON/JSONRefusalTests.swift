// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

@Suite("JSON: refused documents")
struct JSONRefusalTests {
  @Test("Malformed structure is refused", arguments: JSONBadInput.structure)
  func structure(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  @Test("Malformed literals are refused", arguments: JSONBadInput.words)
  func words(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  @Test("Malformed numbers are refused", arguments: JSONBadInput.numbers)
  func numbers(_ input: JSONBadInput) {
    expectRefusal(input)
  }

  @Test("Malformed strings are refused", arguments: JSONBadInput.strings)
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

  @Test("A duplicate key is refused here, and accepted by Foundation")
  func duplicateInFoundation() throws {
    let document = #"{"a":1,"a":2}"#
    let decoded = try JSONDecoder().decode([String: Int].self, from: Data(document.utf8))
    let serialized = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? [String: Any]
    #expect(decoded.count == 1 && serialized?.count == 1)
    #expect(throws: JSONError(reason: .duplicateKey, offset: 7)) { try JSONValue(parsing: document.utf8) }
  }

  @Test("A duplicate key is found anywhere in a large object", arguments: [0, 1, 15, 16, 17, 500, 998])
  func duplicateAmongMany(first: Int) {
    let members = (0..<999).map { #""key \#($0)":\#($0)"# }
    let valid = "{" + members.joined(separator: ",")
    #expect(throws: Never.self) { try JSONValue(parsing: (valid + "}").utf8) }
    let duplicate = valid + #","key \#(first)":null}"#
    #expect(throws: JSONError(reason: .duplicateKey, offset: valid.utf8.count + 1)) {
      try JSONValue(parsing: duplicate.utf8)
    }
  }

  @Test("A document truncated at any byte ends unexpectedly")
  func truncation() throws {
    let bytes = Array(JSONSamples.cache.utf8)
    #expect(throws: Never.self) { try JSONValue(parsing: bytes) }
    for count in 0..<bytes.count {
      let cut = Array(bytes[..<count])
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: cut) }
      #expect(error == JSONError(reason: .unexpectedEnd, offset: count))
    }
  }

  @Test("A document followed by any byte other than white space is refused")
  func trailingByte() {
    for byte in UInt8.min...UInt8.max {
      let isWhiteSpace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      let value = try? JSONValue(parsing: Array("[]".utf8) + [byte])
      #expect((value != nil) == isWhiteSpace)
    }
  }

  @Test("An error shows the reason and the offset and no content of the document")
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

  @Test("An object is parsed and written as such, and another value is refused as no object")
  func objects() throws {
    let object = try JSONObject(parsing: Array(#"{"b":1,"a":[null]}"#.utf8))
    #expect(object.keys == ["b", "a"])
    #expect(String(decoding: object.serialized(), as: UTF8.self) == #"{"b":1,"a":[null]}"#)
    for text in ["[]", "1", "null", #""hunter2""#] {
      #expect(throws: JSONError(reason: .notAnObject, offset: 0)) {
        try JSONObject(parsing: Array(text.utf8))
      }
    }
    #expect(throws: JSONError(reason: .unexpectedEnd, offset: 1)) { try JSONObject(parsing: Array("{".utf8)) }
  }

  @Test("Each reason has its own text")
  func reasons() {
    let reasons: [JSONError.Reason] = [
      .unexpectedEnd, .unexpectedByte, .invalidLiteral, .invalidNumber, .controlCharacter, .invalidEscape,
      .loneSurrogate, .invalidUTF8, .duplicateKey, .trailingComma, .nestingTooDeep, .trailingContent,
      .notAnObject,
    ]
    #expect(Set(reasons).count == 13)
    #expect(Set(reasons.map(\.description)).count == 13)
    #expect(JSONError.Reason.nestingTooDeep.description.contains("\(JSONParser.maximumDepth)"))
  }
}
