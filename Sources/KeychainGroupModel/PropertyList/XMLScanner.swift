// SPDX-License-Identifier: MIT

/// Takes the XML of a property list apart: tags and text.
///
/// It knows the XML that property lists are written in, and refuses the rest: other encodings than UTF-8, declarations
/// in the document, and entities but the five of XML.
struct XMLScanner {
  /// A tag, with its attributes left out.
  struct Tag {
    let name: String
    let isEnd: Bool
    let isEmpty: Bool
  }

  private let bytes: [UInt8]
  private var position = 0

  /// Makes a scanner, unless the bytes are not UTF-8.
  init(_ bytes: [UInt8]) throws(SecretStoreError) {
    guard (try? UTF8Span(validating: bytes.span)) != nil else { throw PropertyList.problem("is not UTF-8") }
    self.bytes = bytes
    // What is cut off is mostly seen here.
    guard bytes.last(where: { !Self.isSpace($0) }) == UInt8(ascii: ">") else { throw malformed }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Tells white space of XML.
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D }

  /// Skips what comes before the first element.
  mutating func skipProlog() throws(SecretStoreError) {
    if skip("<?xml") {
      let declaration = try through("?>").lowercased()
      guard !declaration.contains("encoding") || declaration.contains("utf-8") else {
        throw PropertyList.problem("is not UTF-8")
      }
    }
    try skipSpaceAndComments()
    guard skip("<!DOCTYPE") else { return }
    let declaration = try through(">")
    guard !declaration.contains("[") else { throw PropertyList.problem("declares things of its own") }
  }

  /// Skips what comes after the last element; an error when it is not the end.
  mutating func skipEpilog() throws(SecretStoreError) {
    try skipSpaceAndComments()
    guard position == bytes.count else { throw PropertyList.problem("goes on after its end") }
  }

  /// Reads the next tag, from which only white space and comments may separate us.
  mutating func tag() throws(SecretStoreError) -> Tag {
    try skipSpaceAndComments()
    guard skip("<") else { throw malformed }
    let text = try through(">").dropLast()
    let isEnd = text.hasPrefix("/")
    let isEmpty = text.hasSuffix("/")
    let inside = text.dropFirst(isEnd ? 1 : 0).dropLast(isEmpty ? 1 : 0)
    let name = inside.prefix { $0.isASCII && $0.isLetter }
    let rest = inside.dropFirst(name.count)
    let hasRoom = rest.allSatisfy { $0.isWhitespace } || (name == "plist" && rest.first?.isWhitespace == true)
    guard !name.isEmpty, hasRoom, !text.contains("<"), !(isEnd && isEmpty) else { throw malformed }
    return Tag(name: String(name), isEnd: isEnd, isEmpty: isEmpty)
  }

  /// Reads the end of an element.
  mutating func end(of name: String) throws(SecretStoreError) {
    let tag = try tag()
    guard tag.isEnd, tag.name == name else { throw malformed }
  }

  /// Reads text up to the next tag.
  mutating func text() throws(SecretStoreError) -> String {
    var text: [UInt8] = []
    while true {
      let end = bytes[position...].firstIndex { $0 < 0x20 ? !Self.isSpace($0) : $0 == 0x26 || $0 == 0x3C }
      guard let end else { throw malformed }
      text += bytes[position..<end]
      position = end
      if sees("&") {
        text += try entity()
      } else if skip("<!--") {
        _ = try through("-->")
      } else if skip("<![CDATA[") {
        text += try through("]]>").utf8.dropLast(3)
      } else if sees("<") {
        return String(decoding: text, as: UTF8.self)
      } else {
        throw malformed
      }
    }
  }

  private var malformed: SecretStoreError { PropertyList.problem("is cut off, or not well-formed XML") }

  private mutating func entity() throws(SecretStoreError) -> [UInt8] {
    // The longest is &#x10FFFF; with zeros before it.
    guard let end = bytes[position...].prefix(16).firstIndex(of: UInt8(ascii: ";")) else { throw malformed }
    let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
    position = end + 1
    let named = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]
    if let character = named[name] { return Array(character.utf8) }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard name.hasPrefix("#"), digits.first?.isHexDigit == true,
      let scalar = UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init),
      scalar.value >= 0x20 || Self.isSpace(UInt8(scalar.value))
    else { throw malformed }
    return Array(String(Character(scalar)).utf8)
  }

  private mutating func skipSpaceAndComments() throws(SecretStoreError) {
    while true {
      position = bytes[position...].firstIndex { !Self.isSpace($0) } ?? bytes.count
      if skip("<!--") {
        _ = try through("-->")
      } else if !sees("<?xml"), skip("<?") {
        _ = try through("?>")
      } else {
        return
      }
    }
  }

  private func sees(_ text: StaticString) -> Bool {
    let text = text.description.utf8
    return bytes.count - position >= text.count && bytes[position...].starts(with: text)
  }

  private mutating func skip(_ text: StaticString) -> Bool {
    guard sees(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// The text from here through the first time that another text ends.
  private mutating func through(_ end: StaticString) throws(SecretStoreError) -> String {
    let end = Array(end.description.utf8)
    var place = position
    while let start = bytes[place...].firstIndex(of: end[0]) {
      if bytes[start...].starts(with: end) {
        let text = bytes[position..<(start + end.count)]
        position = start + end.count
        return String(decoding: text, as: UTF8.self)
      }
      place = start + 1
    }
    throw malformed
  }
}
