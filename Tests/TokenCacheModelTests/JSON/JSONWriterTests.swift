// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

@Suite("JSON: writing")
struct JSONWriterTests {
  private func text(_ value: JSONValue, pretty: Bool = false) -> String {
    String(decoding: value.serialized(pretty: pretty), as: UTF8.self)
  }

  @Test("The compact form has no white space")
  func compact() {
    let value: JSONValue = ["b": [1, -2, nil, true, false, "x", [], [:]], "a": ["c": "d e"]]
    #expect(text(value) == #"{"b":[1,-2,null,true,false,"x",[],{}],"a":{"c":"d e"}}"#)
  }

  @Test("Numbers are written as they were read, and Foundation writes others")
  func numbers() throws {
    let document = "[1.0,1e2]"
    let read = try JSONSerialization.jsonObject(with: Data(document.utf8))
    #expect(try JSONSerialization.data(withJSONObject: read) == Data("[1,100]".utf8))
    #expect(text(try JSONValue(parsing: document.utf8)) == document)
  }

  @Test("The pretty form has an indentation of four spaces and is not sorted")
  func pretty() {
    let value: JSONValue = ["b": [1, [], [:], [2]], "a": ["c": "d"], "e": nil]
    let expected = """
      {
          "b": [
              1,
              [],
              {},
              [
                  2
              ]
          ],
          "a": {
              "c": "d"
          },
          "e": null
      }
      """
    #expect(text(value, pretty: true) == expected)
    #expect(text(nil, pretty: true) == "null")
    #expect(text([:], pretty: true) == "{}")
  }

  @Test("Only required characters are escaped")
  func escapes() throws {
    #expect(text("\"\\\u{08}\t\n\u{0C}\r\u{00}\u{0B}\u{1F}") == #""\"\\\b\t\n\f\r\u0000\u000b\u001f""#)
    #expect(
      text("/'<>&\u{7F}\u{80}é€𝄞\u{2028}\u{FEFF}\u{FFFF}")
        == "\"/'<>&\u{7F}\u{80}é€𝄞\u{2028}\u{FEFF}\u{FFFF}\"")
    #expect(text(["a\"\n": "b"]) == #"{"a\"\n":"b"}"#)
    for scalar in (0...0x2FF).compactMap(Unicode.Scalar.init) {
      let string = String(Character(scalar))
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      #expect(text(.string(string)).hasPrefix("\"\\") == mustEscape)
      #expect(try JSONValue(parsing: JSONValue.string(string).serialized()) == .string(string))
    }
  }

  @Test("A written value is read back equal", arguments: [JSONSamples.cache, JSONSamples.compact])
  func roundTrip(document: String) throws {
    let value = try JSONValue(parsing: document.utf8)
    for pretty in [false, true] {
      let written = value.serialized(pretty: pretty)
      let reread = try JSONValue(parsing: written)
      #expect(reread == value)
      #expect(reread.serialized(pretty: pretty) == written)
    }
  }

  @Test("Unknown data keep their spelling and order")
  func unknownData() throws {
    let value = try JSONValue(parsing: JSONSamples.cache.utf8)
    let unknown = try #require(value.objectValue?["unknownEntity"])
    let expected =
      #"{"field1":[1.0,1e3,-0,0.10,[],{},[[null]]],"field2":{"on":true,"off":false,"none":null,"":""}}"#
    #expect(text(unknown) == expected)
    #expect(text(value).contains(#""extended_expires_on":12345678901234567890"#))
    #expect(text(value).contains(#""username":"Zoë 𝄞 \"Z\" \\ / é𝄞""#))
  }

  @Test("A string is written in the form in which it was read")
  func normalization() throws {
    for string in ["\u{E9}", "e\u{301}", "\u{212B}", "\u{1100}\u{1161}", "\u{AC00}"] {
      let bytes = Array("\"\(string)\"".utf8)
      #expect(try JSONValue(parsing: bytes).serialized() == bytes)
    }
  }
}
