// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheModel

@Suite("JSON: accepted documents")
struct JSONParserTests {
  static let accepted: [(text: String, value: JSONValue)] = [
    ("null", .null), ("true", true), ("false", false), ("0", 0), ("-1", -1), (#""""#, ""), ("[]", []),
    ("{}", [:]),
    (" \t\r\n[ \t\r\n] \t\r\n", []), ("{ }", [:]),
    ("\n{ \"a\" : 1 , \"b\" : [ 1 , 2 ] } ", ["a": 1, "b": [1, 2]]),
    ("[null,true,false]", [nil, true, false]), (#"{"a":{"b":{"c":[{}]}}}"#, ["a": ["b": ["c": [[:]]]]]),
    (#"{"":""}"#, ["": ""]), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{08}\u{0C}\n\r\t"),
    (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\ud834\udd1e""#, "𝄞"), (#""\uD834\uDD1E""#, "𝄞"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
    (#""\u0000""#, "\0"),
    (#""\uFFFF\ufeff\u2028""#, "\u{FFFF}\u{FEFF}\u{2028}"),
    ("\"\u{7F}\u{FEFF}\u{2028}𝄞\"", "\u{7F}\u{FEFF}\u{2028}𝄞"),
    (#""\\u0041""#, #"\u0041"#), (#""\\\"""#, #"\""#), (#""a,]}:[{""#, "a,]}:[{"), (#""a/b""#, "a/b"),
  ]

  @Test("Each type of value is read", arguments: accepted)
  func values(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text.utf8) == value)
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    #expect(try JSONValue(parsing: Data(text.utf8)) == value)
    #expect(try JSONValue(parsing: text.utf8Span.span) == value)
    #expect(try JSONParser.parse([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == value)
  }

  @Test(
    "A number keeps its literal text",
    arguments: [
      "0", "-0", "0.0", "-0.0", "1.0", "10", "1e3", "1E3", "1e+3", "1e-3", "1.50e007", "0e0", "0.1e1",
      "12345678901234567890", "-12345678901234567890.123456789012345678901234567890", "1e999999999",
      String(repeating: "9", count: 5000),
    ])
  func numbers(literal: String) throws {
    let number = try #require(JSONNumber(literal: literal))
    #expect(number.literal == literal)
    #expect(try JSONValue(parsing: literal.utf8) == .number(number))
    #expect(
      try JSONValue(parsing: "[\(literal) , \(literal)]".utf8).arrayValue?.map(\.textValue) == [
        literal, literal,
      ])
    #expect(JSONValue.number(number).serialized() == Array(literal.utf8))
  }

  @Test(
    "Text that is no number is no literal",
    arguments: [
      "", " ", "-", "1 ", " 1", "01", "+1", "1.", ".1", "1e", "0x1", "NaN", "1,", "\u{FF11}", "1\u{301}",
    ])
  func invalidLiterals(text: String) {
    #expect(JSONNumber(literal: text) == nil)
  }

  @Test("An integer has the digits of its number")
  func integers() {
    #expect(JSONNumber(Int64.min).literal == "-9223372036854775808")
    #expect(JSONNumber(UInt64.max).literal == "18446744073709551615")
    #expect(JSONNumber(UInt8(7)) == JSONNumber(7))
  }

  @Test("64 levels of nesting are accepted", arguments: [1, 2, 63, 64])
  func nesting(depth: Int) throws {
    for text in [JSONSamples.nestedArrays(depth), JSONSamples.nestedObjects(depth)] {
      let value = try JSONValue(parsing: text.utf8)
      #expect(value.serialized() == Array(text.utf8))
    }
    #expect(JSONParser.maximumDepth == 64)
  }

  @Test("The depth counts open brackets, not all brackets")
  func siblings() throws {
    let text = "[" + Array(repeating: JSONSamples.nestedArrays(63), count: 100).joined(separator: ",") + "]"
    #expect(try JSONValue(parsing: text.utf8).arrayValue?.count == 100)
  }

  @Test("Members keep their order")
  func order() throws {
    let text = #"{"z":1,"a":2,"m":{"y":1,"b":2},"A":3}"#
    let value = try JSONValue(parsing: text.utf8)
    #expect(value.objectValue?.keys == ["z", "a", "m", "A"])
    #expect(value.serialized() == Array(text.utf8))
  }

  @Test("Keys that differ only in normalization or case are different keys")
  func normalization() throws {
    let text = "{\"\u{E9}\":1,\"e\u{301}\":2,\"E\u{301}\":3,\"\u{212B}\":4,\"\u{C5}\":5}"
    let object = try #require(try JSONValue(parsing: text.utf8).objectValue)
    #expect(object.count == 5)
    #expect(object["\u{E9}"] == 1)
    #expect(object["e\u{301}"] == 2)
    #expect(object["\u{C5}"] == 5)
    #expect(JSONValue.object(object).serialized() == Array(text.utf8))
  }

  @Test("Large documents are read", .timeLimit(.minutes(1)))
  func large() throws {
    let text = String(repeating: "abcdefg é", count: 100_000)
    #expect(try JSONValue(parsing: "\"\(text)\"".utf8) == .string(text))
    let escaped = String(repeating: #"a\n\u00e9"#, count: 50_000)
    let value = try JSONValue(parsing: "\"\(escaped)\"".utf8)
    #expect(value == .string(String(repeating: "a\né", count: 50_000)))
    let members = (0..<20_000).map { #""\#($0)":[\#($0)]"# }.joined(separator: ",")
    let object = try #require(try JSONValue(parsing: "{\(members)}".utf8).objectValue)
    #expect(object.count == 20_000)
    #expect(object["19999"] == [19999])
  }
}
