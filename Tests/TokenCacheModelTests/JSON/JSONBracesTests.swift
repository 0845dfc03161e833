// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import StrictJSON

@Suite("JSON braces")
struct JSONBracesTests {
  @Test(
    "Only an opening brace inside a string is escaped",
    arguments: [
      (#"{}"#, #"{}"#),
      (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"c"}}"#),
      (#"{"a":"{TITLE}"}"#, #"{"a":"\u007bTITLE}"}"#),
      (#"{"{S:x}":1}"#, #"{"\u007bS:x}":1}"#),
      (#"["{{","}"]"#, #"["\u007b\u007b","}"]"#),
      (#"["\"{\\",{}]"#, #"["\"\u007b\\",{}]"#),
      (#"["\\\"{",{}]"#, #"["\\\"\u007b",{}]"#),
      (#"["é{鍵"]"#, #"["é\u007b鍵"]"#),
      ("", ""),
    ])
  func escapes(_ json: String, _ stored: String) throws {
    let escaped = JSONBraces.escaped(Array(json.utf8))
    #expect(String(decoding: escaped, as: UTF8.self) == stored)
    #expect(JSONBraces.escapedCount(Array(json.utf8)) == escaped.count)
  }

  @Test("Escaped text parses to the same value")
  func means() throws {
    let json = #"{"{S:k}":["{REF:P@T:x}","\"{\\{",{"a":{}}]}"#
    let escaped = Data(JSONBraces.escaped(Array(json.utf8)))
    let parsed = try JSONSerialization.jsonObject(with: escaped) as? NSDictionary
    #expect(parsed == (try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary))
  }
}
