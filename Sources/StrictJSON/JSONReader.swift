// SPDX-License-Identifier: MIT

/// The state of the parser, a recursive descent bounded by `JSONParser.maximumDepth`.
///
/// The bytes are passed as an argument because this type cannot store a span.
struct JSONReader {
  /// Whether the reader repairs what it can; see ``JSONParser/parseLeniently(_:)``.
  let isLenient: Bool
  /// Whether the end of the bytes ends what is open there.
  let acceptsCut: Bool
  var position = 0
  private var depth = 0

  init(isLenient: Bool = false, acceptsCut: Bool = false) {
    self.isLenient = isLenient
    self.acceptsCut = acceptsCut
  }

  mutating func document(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
    _ = try peek(bytes)
    let value = try value(bytes)
    skipWhiteSpace(bytes)
    if position < bytes.count, !isLenient { throw failure(.trailingContent) }
    return value
  }

  func failure(_ reason: JSONError.Reason) -> JSONError {
    JSONError(reason: reason, offset: position)
  }

  private mutating func skipWhiteSpace(_ bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Skips white space and returns the next byte without consuming it.
  private mutating func peek(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
    skipWhiteSpace(bytes)
    guard position < bytes.count else { throw failure(.unexpectedEnd) }
    return bytes[position]
  }

  /// Reads the value that starts at the current position.
  private mutating func value(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
    switch bytes[position] {
    case UInt8(ascii: "{") where isLenient && isDeepest, UInt8(ascii: "[") where isLenient && isDeepest:
      try skipNested(bytes)
      return .null
    case UInt8(ascii: "\""):
      return .string(try string(bytes))
    case UInt8(ascii: "{"):
      return .object(try object(bytes))
    case UInt8(ascii: "["):
      return .array(try array(bytes))
    case _ where isLenient:
      let word = word(bytes)
      // At the end of the bytes it may be half a word.
      if position == bytes.count, depth > 0 { throw failure(.unexpectedEnd) }
      return word
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return .number(try number(bytes))
    case UInt8(ascii: "t"):
      try literal("true", bytes)
      return .bool(true)
    case UInt8(ascii: "f"):
      try literal("false", bytes)
      return .bool(false)
    case UInt8(ascii: "n"):
      try literal("null", bytes)
      return .null
    default:
      throw failure(.unexpectedByte)
    }
  }

  private mutating func object(_ bytes: Span<UInt8>) throws(JSONError) -> JSONObject {
    var object = JSONObject()
    try open()
    do throws(JSONError) {
      var next = try peek(bytes)
      while next != UInt8(ascii: "}") {
        guard next == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
        try member(of: &object, bytes)
        next = try separator(before: UInt8(ascii: "}"), bytes)
      }
    } catch {
      try endAtLast(error, bytes)
    }
    close()
    return object
  }

  private mutating func member(of object: inout JSONObject, _ bytes: Span<UInt8>) throws(JSONError) {
    let keyOffset = position
    let key = try string(bytes)
    guard try peek(bytes) == UInt8(ascii: ":") else { throw failure(.unexpectedByte) }
    position += 1
    _ = try peek(bytes)
    let value = try value(bytes)
    if !object.insert(key, value) {
      guard isLenient else { throw JSONError(reason: .duplicateKey, offset: keyOffset) }
      if value.counts(beside: object[key]) { object[key] = value }
    }
  }

  private mutating func array(_ bytes: Span<UInt8>) throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    try open()
    do throws(JSONError) {
      var next = try peek(bytes)
      while next != UInt8(ascii: "]") {
        elements.append(try value(bytes))
        next = try separator(before: UInt8(ascii: "]"), bytes)
      }
    } catch {
      try endAtLast(error, bytes)
    }
    close()
    return elements
  }

  /// Ends an object or an array that the end of the bytes cuts behind its last complete value.
  private mutating func endAtLast(_ error: JSONError, _ bytes: Span<UInt8>) throws(JSONError) {
    guard acceptsCut, error.reason == .unexpectedEnd else { throw error }
    // Closing it consumes one byte, as if that were its closing bracket.
    position = bytes.count - 1
  }

  /// Skips an object or an array up to its closing bracket, without a limit of depth.
  private mutating func skipNested(_ bytes: Span<UInt8>) throws(JSONError) {
    var open = 0
    repeat {
      switch try peek(bytes) {
      case UInt8(ascii: "\""): _ = try string(bytes)
      case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1; position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open -= 1; position += 1
      default: position += 1
      }
    } while open > 0
  }

  /// Consumes a comma, if there is one, and returns the next byte: `end` or the first byte of the next item.
  private mutating func separator(before end: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
    let byte = try peek(bytes)
    if byte == end { return byte }
    guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte) }
    let commaOffset = position
    position += 1
    let next = try peek(bytes)
    if next == end, !isLenient { throw JSONError(reason: .trailingComma, offset: commaOffset) }
    return next
  }

  private var isDeepest: Bool { depth >= JSONParser.maximumDepth }

  /// Consumes an opening bracket.
  private mutating func open() throws(JSONError) {
    guard !isDeepest else { throw failure(.nestingTooDeep) }
    depth += 1
    position += 1
  }

  /// Consumes a closing bracket.
  private mutating func close() {
    depth -= 1
    position += 1
  }

  /// Reads a value without quotation marks and brackets in a lenient reader; it may be empty.
  ///
  /// What is neither a value nor an integer is null: as text it could be taken for a token.
  private mutating func word(_ bytes: Span<UInt8>) -> JSONValue {
    let start = position
    while position < bytes.count, !Self.isEndOfWord(bytes[position]) { position += 1 }
    let word = String(decoding: (start..<position).map { bytes[$0] }, as: UTF8.self)
    switch word {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      return (JSONNumber(literal: word) ?? Int(word).map { JSONNumber($0) }).map(JSONValue.number) ?? .null
    }
  }

  private static func isEndOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0x20, 0x0A, 0x0D, 0x09: true
    default: false
    }
  }

  private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONNumber {
    let start = position
    position = try JSONNumberScanner.end(of: bytes, from: start)
    return JSONNumber(scanned: try text(bytes, start..<position))
  }

  private mutating func literal(_ text: String, _ bytes: Span<UInt8>) throws(JSONError) {
    let start = position
    for byte in text.utf8 {
      guard position < bytes.count else { throw failure(.unexpectedEnd) }
      guard bytes[position] == byte else { throw JSONError(reason: .invalidLiteral, offset: start) }
      position += 1
    }
  }
}

extension JSONValue {
  /// Returns whether the value counts, and not the one before it, of two members with one name.
  ///
  /// A string with text counts before an empty one, and that before anything else; else the last one counts.
  fileprivate func counts(beside former: JSONValue?) -> Bool {
    func rank(_ value: JSONValue?) -> Int { value?.stringValue.map { $0.isEmpty ? 1 : 2 } ?? 0 }
    return rank(self) >= rank(former)
  }
}
