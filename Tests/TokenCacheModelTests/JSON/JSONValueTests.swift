// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@Suite("JSON: values")
struct JSONValueTests {
  static let kinds: [JSONValue] = [nil, true, 1, "text", [1], ["a": 1]]

  @Test("Each accessor returns a value of its own type only")
  func accessors() throws {
    #expect(Self.kinds.map(\.stringValue) == [nil, nil, nil, "text", nil, nil])
    #expect(Self.kinds.map(\.textValue) == [nil, nil, "1", "text", nil, nil])
    #expect(Self.kinds.map(\.boolValue) == [nil, true, nil, nil, nil, nil])
    #expect(Self.kinds.map(\.arrayValue) == [nil, nil, nil, nil, [1], nil])
    #expect(Self.kinds.map(\.objectValue) == [nil, nil, nil, nil, nil, ["a": 1]])
    let number = try #require(JSONNumber(literal: "1.50"))
    #expect(JSONValue.number(number).textValue == "1.50")
  }

  @Test("Values of different types are never equal")
  func kindsDiffer() {
    #expect(Set(Self.kinds).count == Self.kinds.count)
    for (place, value) in Self.kinds.enumerated() {
      for (otherPlace, other) in Self.kinds.enumerated() {
        #expect((value == other) == (place == otherPlace))
      }
    }
    #expect(JSONValue.string("1") != 1)
    #expect(JSONValue.array([]) != [:])
    #expect(JSONValue.bool(false) != .null)
  }

  @Test("Numbers are equal if their literals are")
  func numbers() throws {
    #expect(try JSONValue(parsing: "1".utf8) == 1)
    #expect(try JSONValue(parsing: "1.0".utf8) != 1)
    #expect(try JSONValue(parsing: "1e0".utf8) != 1)
  }

  @Test("Strings are equal if their code units are")
  func strings() {
    #expect(JSONValue.string("\u{E9}") == .string("\u{E9}"))
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    // Same number of bytes, same canonical form.
    #expect(JSONValue.string("a\u{323}\u{307}") != .string("a\u{307}\u{323}"))
    #expect(JSONValue.string("\u{AC00}").hashValue == JSONValue.string("\u{AC00}").hashValue)
    #expect(JSONValue.string("\r\n") != .string("\n\r"))
    #expect(JSONValue.string("a") != .string("b"))
    #expect(JSONValue.string("a") != .string("a\0"))
  }

  @Test("The order of elements is significant, that of members is not")
  func order() {
    #expect([1, 2] as JSONValue != [2, 1])
    let left: JSONValue = [["a": 1, "b": ["c": 2, "d": 3]]]
    let right: JSONValue = [["b": ["d": 3, "c": 2], "a": 1]]
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
  }
}
