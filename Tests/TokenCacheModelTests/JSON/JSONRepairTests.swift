// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON

@Suite("JSON: repaired documents")
struct JSONRepairTests {
  static let repaired: [(text: String, value: JSONValue)] = [
    (#"{"a":1,"a":2}"#, ["a": 2]), (#"{"a":"1","a":"2"}"#, ["a": "2"]),
    (#"{"a":"1","a":null,"a":2}"#, ["a": "1"]), ("[1,]", [1]), (#"{"a":1,}"#, ["a": 1]), ("[] x", []),
    ("{}\0", [:]),
    ("\"\t\u{0}\"", "\t\u{0}"), (#""\ud800""#, "\u{FFFD}"), (#""\ud800\u0041""#, "\u{FFFD}A"),
    ("[03600]", [3600]), ("[+1,-007]", [1, -7]), ("[NaN]", [.null]),
    ("[-Infinity,.5,1.,0x10]", Self.nulls(4)),
    ("[None,undefined,nul,nullx,'x']", Self.nulls(5)), ("[,1]", [.null, 1]),
    (#"{"a":,"b":}"#, ["a": .null, "b": .null]),
    (#""\'\x\é""#, "'xé"), (#""\u12""#, "\u{FFFD}12"), (#""\u""#, "\u{FFFD}"),
    (#""\ud834\uZ""#, "\u{FFFD}\u{FFFD}Z"), (#""\ud834\udd1e\n""#, "𝄞\n"),
    (#"{"a":"b","a":""}"#, ["a": "b"]), (#"{"a":"","a":null}"#, ["a": ""]),
    ("[true,false,null,-1.5e3]", [true, false, .null, .number(JSONNumber(scanned: "-1.5e3"))]),
  ]

  private static func nulls(_ count: Int) -> JSONValue { .array(Array(repeating: .null, count: count)) }

  @Test("What breaks a rule is repaired", arguments: repaired)
  func repairs(text: String, value: JSONValue) throws {
    #expect(try JSONParser.parseLeniently(Array(text.utf8)) == value)
  }

  @Test(
    "A document that is cut is not repaired",
    arguments: ["", "{", "[1", "[1,", #"{"a""#, #"{"a":"#, #"{"a":nul"#, #"{"a":1"#, #"{"a":"b"#, "[\"\\"])
  func cut(text: String) {
    #expect(throws: JSONError(reason: .unexpectedEnd, offset: text.utf8.count)) {
      try JSONParser.parseLeniently(Array(text.utf8))
    }
  }

  static let cutDocuments: [(text: String, value: JSONValue)] = [
    ("{", [:]), ("[1", []), ("[1,", [1]), ("[\"\\", []), (#"{"a""#, [:]), (#"{"a":"#, [:]),
    (#"{"a":nul"#, [:]), (#"{"a":1"#, [:]), (#"{"a":"b"#, [:]), (#"{"a":"b""#, ["a": "b"]),
    (#"{"a":"b",  "#, ["a": "b"]), (#"{"a":"b","c":"d"#, ["a": "b"]),
    (#"{"a":"b","c":{"d":"e""#, ["a": "b", "c": ["d": "e"]]), (#"{"a":[["b""#, ["a": [["b"]]]),
  ]

  @Test("Of a document that may be cut, what is complete counts", arguments: cutDocuments)
  func cutBehindAValue(text: String, value: JSONValue) throws {
    #expect(try JSONParser.parseLeniently(Array(text.utf8), acceptsCut: true) == value)
  }

  @Test("A document with half of its only value is not repaired", arguments: ["", " ", "\"a", "\"\\"])
  func withoutValue(text: String) {
    #expect(throws: JSONError(reason: .unexpectedEnd, offset: text.utf8.count)) {
      try JSONParser.parseLeniently(Array(text.utf8), acceptsCut: true)
    }
  }

  @Test("What is nested too deep is null", arguments: ["[", "{\"a\":"], [1, 200_000])
  func nestedTooDeep(open: String, count: Int) throws {
    let closed = open == "[" ? "]" : "}"
    let levels = JSONParser.maximumDepth - 1
    func nested(_ inner: String, _ count: Int) -> String {
      String(repeating: open, count: count) + inner + String(repeating: closed, count: count)
    }
    let deep = nested(nested(#""]}\"""#, count), levels)
    let document = try JSONParser.parseLeniently(Array(#"{"x":\#(deep),"a":"b"}"#.utf8))
    #expect(document == ["x": try JSONParser.parse(Array(nested("null", levels).utf8)), "a": "b"])
  }

  @Test("Brackets that don't match are not repaired", arguments: ["[}", "{]", "[[}]", #"{"a":]}"#, "[1 2]"])
  func brackets(text: String) {
    #expect(throws: JSONError.self) { try JSONParser.parseLeniently(Array(text.utf8)) }
  }
}
