// SPDX-License-Identifier: MIT

/// A scanner that splits the XML of a property list into tags and text.
///
/// Foundation's `XMLParser` is in a module of its own, `FoundationXML`, which links libxml2, and expands the entities
/// that a document declares. This scanner supports only the XML that property lists use. It refuses other encodings
/// than UTF-8, an internal document type definition, and all entities except the five predefined ones and character
/// references.
struct XMLScanner {
  /// A tag, without its attributes.
  struct Tag {
    let name: String
    let isEnd: Bool
    let isEmpty: Bool
  }

  private let bytes: [UInt8]
  private var position = 0

  /// Creates a scanner.
  ///
  /// - Throws: when the bytes are not UTF-8, or are cut off.
  init(_ bytes: [UInt8]) throws(PropertyListError) {
    guard (try? UTF8Span(validating: bytes.span)) != nil else { throw PropertyList.problem("is not UTF-8") }
    self.bytes = bytes
    // Truncated input usually fails here.
    guard bytes.last(where: { !Self.isSpace($0) }) == UInt8(ascii: ">") else { throw malformed }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns whether a byte is XML white space.
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0A ~= byte || byte == 0x0D }

  /// Skips the XML declaration, comments, processing instructions and the document type before the first element.
  mutating func skipProlog() throws(PropertyListError) {
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

  /// Skips white space and comments after the last element, and throws when anything else follows.
  mutating func skipEpilog() throws(PropertyListError) {
    try skipSpaceAndComments()
    guard position == bytes.count else { throw PropertyList.problem("goes on after its end") }
  }

  /// Reads the next tag, before which only white space, comments and processing instructions may stand.
  mutating func tag() throws(PropertyListError) -> Tag {
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

  /// Reads the end tag of an element.
  mutating func end(of name: String) throws(PropertyListError) {
    let tag = try tag()
    guard tag.isEnd, tag.name == name else { throw malformed }
  }

  /// Reads the text up to the next tag.
  mutating func text() throws(PropertyListError) -> String {
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

  private var malformed: PropertyListError { PropertyList.problem("is cut off, or not well-formed XML") }

  private mutating func entity() throws(PropertyListError) -> [UInt8] {
    // The longest reference is &#x10FFFF; with leading zeros.
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

  private mutating func skipSpaceAndComments() throws(PropertyListError) {
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

  /// Returns the text from the current position through the first occurrence of `end`.
  private mutating func through(_ end: StaticString) throws(PropertyListError) -> String {
    let end = Array(end.description.utf8)
    var offset = position
    while let start = bytes[offset...].firstIndex(of: end[0]) {
      if bytes[start...].starts(with: end) {
        let text = bytes[position..<(start + end.count)]
        position = start + end.count
        return String(decoding: text, as: UTF8.self)
      }
      offset = start + 1
    }
    throw malformed
  }
}
