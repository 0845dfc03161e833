// SPDX-License-Identifier: MIT

import FoundationEssentials

/// A reader of XML property lists.
///
/// Foundation's reader takes the last of two equal keys and turns `<date>2026-13-45T99:99:99Z</date>` into a day of
/// 2027. This one refuses both: two readers of one entitlements file must not see different groups.
///
/// A dictionary with the single key `CF$UID` and an integer is read as a keyed archive's reference.
struct XMLPropertyListReader {
  private var scanner: XMLScanner
  private var weight = 0

  /// Creates a reader.
  ///
  /// - Throws: when the bytes are not UTF-8.
  init(_ bytes: [UInt8]) throws(PropertyListError) { scanner = try XMLScanner(bytes) }

  /// Reads the top-level value.
  mutating func root() throws(PropertyListError) -> PropertyList {
    try scanner.skipProlog()
    let tag = try scanner.tag()
    guard tag.name == "plist", !tag.isEnd, !tag.isEmpty else {
      throw PropertyList.problem("has no plist element")
    }
    let value = try value(of: try scanner.tag(), depth: 0)
    try scanner.end(of: "plist")
    try scanner.skipEpilog()
    return value
  }

  private mutating func value(of tag: XMLScanner.Tag, depth: Int) throws(PropertyListError) -> PropertyList {
    guard !tag.isEnd else { throw PropertyList.problem("lacks a value") }
    guard depth <= PropertyList.maximumDepth else { throw BinaryPropertyListReader.tooDeep }
    try addWeight(PropertyList.weightOfValue)
    switch tag.name {
    case "dict": return tag.isEmpty ? .dictionary([:]) : try dictionary(depth: depth)
    case "array": return tag.isEmpty ? .array([]) : try array(depth: depth)
    case "true", "false":
      guard try text(of: tag).isEmpty else { throw PropertyList.problem("has text in a truth value") }
      return .bool(tag.name == "true")
    case "string": return .string(try text(of: tag))
    case "integer": return .integer(try number(text(of: tag)) { Int64($0) })
    case "real": return .real(try real(text(of: tag)))
    case "date": return .date(try date(text(of: tag)))
    case "data": return .data(try data(text(of: tag)))
    default: throw PropertyList.problem("has an element of an unknown kind")
    }
  }

  private mutating func addWeight(_ bytes: Int) throws(PropertyListError) {
    weight += bytes
    guard weight <= PropertyList.maximumWeight else {
      throw PropertyList.problem("holds more than \(PropertyList.maximumWeight) bytes")
    }
  }

  private mutating func text(of tag: XMLScanner.Tag) throws(PropertyListError) -> String {
    guard !tag.isEmpty else { return "" }
    let text = try scanner.text()
    try addWeight(text.utf8.count)
    try scanner.end(of: tag.name)
    return text
  }

  private mutating func array(depth: Int) throws(PropertyListError) -> PropertyList {
    var elements: [PropertyList] = []
    while true {
      let tag = try scanner.tag()
      if tag.isEnd && tag.name == "array" { return .array(elements) }
      elements.append(try value(of: tag, depth: depth + 1))
    }
  }

  private mutating func dictionary(depth: Int) throws(PropertyListError) -> PropertyList {
    var members: [String: PropertyList] = [:]
    while true {
      let tag = try scanner.tag()
      if tag.isEnd && tag.name == "dict" { break }
      guard tag.name == "key", !tag.isEnd else { throw PropertyList.problem("lacks a key") }
      let key = try text(of: tag)
      let value = try value(of: try scanner.tag(), depth: depth + 1)
      guard members.updateValue(value, forKey: key) == nil else {
        throw PropertyList.problem("has a key twice")
      }
    }
    if members.count == 1, case .integer(let number)? = members["CF$UID"], let uid = UInt32(exactly: number) {
      return .uid(uid)
    }
    return .dictionary(members)
  }

  private func number<Number>(
    _ text: String, _ read: (Substring) -> Number?
  ) throws(PropertyListError) -> Number {
    guard let number = read(Self.trimmed(text)) else { throw PropertyList.problem("has a malformed number") }
    return number
  }

  private func real(_ text: String) throws(PropertyListError) -> Double {
    try number(text) { text in
      let isPlain = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || "+-.eE".utf8.contains($0) }
      return isPlain ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
    }
  }

  private func date(_ text: String) throws(PropertyListError) -> Date {
    guard let date = DateText(String(Self.trimmed(text))), date.offset == 0 else {
      throw PropertyList.problem("has a malformed date")
    }
    return Date(timeIntervalSince1970: Double(date.civil.seconds) + date.fraction)
  }

  private func data(_ text: String) throws(PropertyListError) -> [UInt8] {
    let digits = text.utf8.filter { !XMLScanner.isSpace($0) }
    guard let data = Data(base64Encoded: Data(digits)) else {
      throw PropertyList.problem("has malformed data")
    }
    return Array(data)
  }

  private static func trimmed(_ text: String) -> Substring {
    let bytes = text.utf8
    let start = bytes.firstIndex { !XMLScanner.isSpace($0) } ?? bytes.endIndex
    let last = bytes.lastIndex { !XMLScanner.isSpace($0) }
    return text[start..<(last.map(bytes.index(after:)) ?? start)]
  }
}
