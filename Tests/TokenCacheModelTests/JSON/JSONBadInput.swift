// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

/// A document that the parser must refuse.
struct JSONBadInput: Sendable, CustomTestStringConvertible {
  let rule: String
  let bytes: [UInt8]
  let reason: JSONError.Reason
  let offset: Int

  var testDescription: String { rule }

  init(_ rule: String, _ text: String, _ reason: JSONError.Reason, _ offset: Int) {
    self.init(rule, Array(text.utf8), reason, offset)
  }

  init(_ rule: String, _ bytes: [UInt8], _ reason: JSONError.Reason, _ offset: Int) {
    self.rule = rule
    self.bytes = bytes
    self.reason = reason
    self.offset = offset
  }

  /// A string value made of the given bytes between quotation marks.
  init(string rule: String, _ bytes: [UInt8], _ reason: JSONError.Reason, _ offset: Int) {
    self.init(rule, [0x22] + bytes + [0x22], reason, offset)
  }
}

extension JSONBadInput {
  static let structure: [Self] = [
    Self("empty document", "", .unexpectedEnd, 0),
    Self("white space only", " \n\t\r", .unexpectedEnd, 4),
    Self("byte order mark only", [0xEF, 0xBB, 0xBF], .unexpectedEnd, 3),
    Self("two byte order marks", [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31], .unexpectedByte, 3),
    Self("byte order mark after white space", [0x20, 0xEF, 0xBB, 0xBF, 0x31], .unexpectedByte, 1),
    Self("incomplete byte order mark", [0xEF, 0xBB, 0x31], .unexpectedByte, 0),
    Self("UTF-16 document", [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], .unexpectedByte, 0),
    Self("NUL before the value", [0x00, 0x31], .unexpectedByte, 0),
    Self("NUL after the value", [0x31, 0x00], .trailingContent, 1),
    Self("second value", "{} {}", .trailingContent, 3),
    Self("second value without space", "[][]", .trailingContent, 2),
    Self("closing bracket too many", "[]]", .trailingContent, 2),
    Self("comma after the document", "{},", .trailingContent, 2),
    Self("text after the document", "1 x", .trailingContent, 2),
    Self("word runs on", "truex", .trailingContent, 4),
    Self("comment after the document", "{} // x", .trailingContent, 3),
    Self("comment before the document", "/* x */ {}", .unexpectedByte, 0),
    Self("comment in an object", "{ /* x */ }", .unexpectedByte, 2),
    Self("no-break space", [0xC2, 0xA0, 0x31], .unexpectedByte, 0),
    Self("form feed as white space", "\u{0C}1", .unexpectedByte, 0),
    Self("vertical tab as white space", "[\u{0B}]", .unexpectedByte, 1),
    Self("line separator as white space", "[\u{2028}1]", .unexpectedByte, 1),
    Self("closing bracket alone", "]", .unexpectedByte, 0),
    Self("closing brace alone", "}", .unexpectedByte, 0),
    Self("colon alone", ":", .unexpectedByte, 0),
    Self("comma alone", ",", .unexpectedByte, 0),
    Self("array closed by a brace", "[1}", .unexpectedByte, 2),
    Self("object closed by a bracket", #"{"a":1]"#, .unexpectedByte, 6),
    Self("trailing comma in an array", "[1,]", .trailingComma, 2),
    Self("trailing comma and white space in an array", "[1 , \n ]", .trailingComma, 3),
    Self("trailing comma in an object", #"{"a":1,}"#, .trailingComma, 6),
    Self("trailing comma and white space in an object", #"{"a":1 , }"#, .trailingComma, 7),
    Self("trailing comma deep inside", #"{"a":[{"b":[1,]}]}"#, .trailingComma, 13),
    Self("array of one comma", "[,]", .unexpectedByte, 1),
    Self("object of one comma", "{,}", .unexpectedByte, 1),
    Self("leading comma", "[,1]", .unexpectedByte, 1),
    Self("two commas in an array", "[1,,2]", .unexpectedByte, 3),
    Self("two commas in an object", #"{"a":1,,"b":2}"#, .unexpectedByte, 7),
    Self("missing comma in an array", "[1 2]", .unexpectedByte, 3),
    Self("missing comma in an object", #"{"a":1 "b":2}"#, .unexpectedByte, 7),
    Self("colon in an array", "[1:2]", .unexpectedByte, 2),
    Self("missing colon", #"{"a" 1}"#, .unexpectedByte, 5),
    Self("two colons", #"{"a"::1}"#, .unexpectedByte, 5),
    Self("equals sign for a colon", #"{"a"=1}"#, .unexpectedByte, 4),
    Self("missing value", #"{"a":}"#, .unexpectedByte, 5),
    Self("missing value before a comma", #"{"a":,"b":1}"#, .unexpectedByte, 5),
    Self("key without value", #"{"a"}"#, .unexpectedByte, 4),
    Self("unquoted key", "{a:1}", .unexpectedByte, 1),
    Self("key in single quotes", "{'a':1}", .unexpectedByte, 1),
    Self("number as key", "{1:1}", .unexpectedByte, 1),
    Self("null as key", "{null:1}", .unexpectedByte, 1),
    Self("open array", "[1", .unexpectedEnd, 2),
    Self("open array after a comma", "[1,", .unexpectedEnd, 3),
    Self("open object", #"{"a":1"#, .unexpectedEnd, 6),
    Self("open object after the key", #"{"a""#, .unexpectedEnd, 4),
    Self("open object after the colon", #"{"a": "#, .unexpectedEnd, 6),
    Self("duplicate key", #"{"a":1,"a":2}"#, .duplicateKey, 7),
    Self("duplicate key with the same value", #"{"a":1,"b":2,"a":1}"#, .duplicateKey, 13),
    Self("duplicate key by way of an escape", #"{"a":1,"\u0061":2}"#, .duplicateKey, 7),
    Self("duplicate empty key", #"{"":1,"":2}"#, .duplicateKey, 6),
    Self("duplicate key in a nested object", #"[{"x":{"a":1,"a":2}}]"#, .duplicateKey, 13),
    Self("65 arrays", JSONSamples.nestedArrays(65), .nestingTooDeep, 64),
    Self("65 objects", JSONSamples.nestedObjects(65), .nestingTooDeep, 320),
    Self("100,000 open arrays", String(repeating: "[", count: 100_000), .nestingTooDeep, 64),
    Self("100,000 open objects", String(repeating: #"{"":"#, count: 100_000), .nestingTooDeep, 256),
  ]
}
