// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@testable import PropertyLists

@Suite("XML property list")
struct XMLPropertyListTests {
  private static func parse(_ text: String) throws -> PropertyList {
    try PropertyList(parsing: Array(text.utf8))
  }

  private static func parse(inside text: String) throws -> PropertyList {
    try parse("<plist version=\"1.0\">\(text)</plist>")
  }

  /// XML stores dates in whole seconds.
  private static let withoutDates = BinaryPropertyListTests.values.filter {
    if case .date = $0 { false } else { true }
  }

  @Test("A list that Foundation writes is read back equal", arguments: withoutDates)
  func foundation(_ value: PropertyList) throws {
    let list = try unsafe PropertyListSerialization.propertyList(from: Data(value.serialized()), format: nil)
    let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    #expect(try PropertyList(parsing: Array(xml)) == value)
    for length in stride(from: 0, to: xml.count - 1, by: xml.count > 5000 ? 997 : 1) {
      #expect(throws: PropertyListError.self) {
        try PropertyList(parsing: Array(xml.prefix(length)))
      }
    }
  }

  @Test(
    "Every type of value is read",
    arguments: [
      ("<true/>", .bool(true)), ("<false />", .bool(false)), ("<true></true>", .bool(true)),
      ("<integer>-5</integer>", .integer(-5)), ("<integer> 7\n</integer>", .integer(7)),
      ("<real>1.5e3</real>", .real(1500)), ("<string/>", .string("")),
      ("<string> a </string>", .string(" a ")),
      ("<string>a&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</string>", .string("a<>&\"'A😀")),
      ("<string>a<![CDATA[<b>&amp;]]>c<!-- d -->e</string>", .string("a<b>&amp;ce")),
      ("<date>2001-01-01T00:00:10Z</date>", .date(Date(timeIntervalSinceReferenceDate: 10))),
      ("<data>AAEC\n /w==</data>", .data([0, 1, 2, 255])), ("<array/>", .array([])),
      ("<dict/>", .dictionary([:])),
      ("<dict><key>CF$UID</key><integer>7</integer></dict>", .uid(7)),
      ("<dict><key>CF$UID</key><string>7</string></dict>", .dictionary(["CF$UID": .string("7")])),
      (
        "<!-- x --><dict> <key>a</key> <?x y?> <array><true/></array> </dict>\n",
        .dictionary(["a": .array([.bool(true)])])
      ),
    ] as [(String, PropertyList)])
  func values(_ text: String, _ value: PropertyList) throws {
    #expect(try Self.parse(inside: text) == value)
  }

  @Test(
    "Declarations, comments and a byte order mark at the beginning are ignored",
    arguments: [
      "", "\u{FEFF}", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "<?xml version='1.0'?>", "<!-- a -->\n",
      "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n",
    ])
  func beginnings(_ text: String) throws {
    #expect(try Self.parse(text + "<plist version=\"1.0\"><true/></plist>\n<!-- b -->") == .bool(true))
  }

  @Test(
    "A malformed value throws an error",
    arguments: [
      "", "text", "<true/><true/>", "<true>1</true>", "<true", "<true/", "<>", "< true/>", "</true>",
      "<unknown/>",
      "<string>a", "<string>a</array>", "<string><b/></string>", "<string>&nbsp;</string>",
      "<string>&</string>",
      "<string>&#0;</string>", "<string>&#xD800;</string>", "<string>&#-65;</string>",
      "<string>&#+65;</string>",
      "<string>&#x110000;</string>", "<string>\u{1}</string>", "<string>&#1;</string>", "<string a=\"b\"/>",
      "<string>&#99999999999999999999;</string>", "<string><![CDATA[a</string>", "<string><!-- a</string>",
      "<integer/>", "<integer>1.5</integer>", "<integer>9223372036854775808</integer>",
      "<integer>१</integer>",
      "<integer>0x10</integer>", "<real>nan</real>", "<real>inf</real>", "<real>1e999</real>", "<real/>",
      "<real>0x1p3</real>", "<date>2001-01-01</date>", "<date>2001-01-01T00:00:00</date>",
      "<date>2001-01-01T00:00:00+01:00</date>", "<date>2001-13-01T00:00:00Z</date>", "<date/>",
      "<data>A</data>",
      "<data>!!!!</data>", "<array><true/>", "<array></dict>", "<dict><key>a</key></dict>",
      "<dict><true/></dict>",
      "<dict><key>a</key><true/><key>a</key><true/></dict>", "<dict><key/><key/></dict>", "<dict></array>",
      "<array><key>a</key></array>", "<plist><true/></plist>", "<!ENTITY a \"b\"><true/>",
      "<?xml version=\"1.0\"?><true/>",
    ])
  func malformed(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.parse(inside: text) }
  }

  @Test(
    "An equal key and a day that does not exist throw an error, although Foundation reads them",
    arguments: [
      "<dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict>",
      "<date>2026-13-45T99:99:99Z</date>",
    ])
  func acceptedByFoundation(_ text: String) throws {
    let list = "<plist version=\"1.0\">\(text)</plist>"
    _ = try unsafe PropertyListSerialization.propertyList(from: Data(list.utf8), format: nil)
    #expect(throws: PropertyListError.self) { try Self.parse(list) }
  }

  @Test(
    "Text that is no UTF-8 property list throws an error",
    arguments: [
      "", "\u{FEFF}", "{}", "plist", "<true/>", "<plist/>", "</plist>", "<plist><true/></plist>x",
      "<plist><true/></plist><plist><true/></plist>", "<plistx><true/></plistx>", "<?xml version=\"1.0\"?>",
      "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><true/></plist>",
      "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
      "<!DOCTYPE plist []><plist><true/></plist>",
      "<!DOCTYPE plist SYSTEM \"x\" [ <!ENTITY a \"b\"> ]><plist><true/></plist>",
    ])
  func noPropertyList(_ text: String) {
    #expect(throws: PropertyListError.self) { try Self.parse(text) }
  }

  @Test("Other encodings throw an error", arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf32])
  func encodings(_ encoding: String.Encoding) throws {
    let text = try #require("<plist version=\"1.0\"><string>é</string></plist>".data(using: encoding))
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: Array(text)) }
    #expect(throws: PropertyListError.self) {
      try PropertyList(parsing: Array("<plist><string>".utf8) + [0xE9] + Array("</string></plist>".utf8))
    }
  }

  @Test("Nesting is read up to the limit and not beyond")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
    }
    #expect(try Self.parse(inside: nested(PropertyList.maximumDepth)).arrayValue?.count == 1)
    for depth in [PropertyList.maximumDepth + 2, 10_000, 1_000_000] {
      #expect(throws: PropertyListError.self) { try Self.parse(inside: nested(depth)) }
    }
  }
}
