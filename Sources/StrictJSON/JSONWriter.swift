// SPDX-License-Identifier: MIT

/// A writer of JSON text.
struct JSONWriter {
  private(set) var output: [UInt8] = []
  private let pretty: Bool

  init(pretty: Bool) {
    self.pretty = pretty
  }

  mutating func write(_ value: JSONValue, depth: Int) {
    switch value {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let bool): output.append(contentsOf: bool ? "true".utf8 : "false".utf8)
    case .number(let number): output.append(contentsOf: number.literal.utf8)
    case .string(let string): write(string)
    case .array(let elements): write(elements, depth: depth)
    case .object(let object): write(object, depth: depth)
    }
  }

  private mutating func write(_ elements: [JSONValue], depth: Int) {
    output.append(UInt8(ascii: "["))
    for (position, element) in elements.enumerated() {
      separate(position, depth: depth + 1)
      write(element, depth: depth + 1)
    }
    if !elements.isEmpty { breakLine(depth: depth) }
    output.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: JSONObject, depth: Int) {
    output.append(UInt8(ascii: "{"))
    for (position, member) in object.members.enumerated() {
      separate(position, depth: depth + 1)
      write(member.key)
      output.append(UInt8(ascii: ":"))
      if pretty { output.append(UInt8(ascii: " ")) }
      write(member.value, depth: depth + 1)
    }
    if !object.isEmpty { breakLine(depth: depth) }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func separate(_ position: Int, depth: Int) {
    if position > 0 { output.append(UInt8(ascii: ",")) }
    breakLine(depth: depth)
  }

  private mutating func breakLine(depth: Int) {
    guard pretty else { return }
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 4))
  }

  private mutating func write(_ string: String) {
    output.append(UInt8(ascii: "\""))
    if Self.needsEscapes(string.utf8Span.span) {
      writeEscaped(string.utf8Span.span)
    } else {
      output.append(contentsOf: string.utf8)
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func needsEscapes(_ bytes: Span<UInt8>) -> Bool {
    for position in bytes.indices where mustEscape(bytes[position]) { return true }
    return false
  }

  /// Returns the size of a string in JSON text, with its quotation marks.
  ///
  /// An opening brace counts as an escape, because a back end may write it as one.
  static func byteCount(of string: String) -> Int {
    let bytes = string.utf8Span.span
    var count = 2 + bytes.count
    for position in bytes.indices {
      let byte = bytes[position]
      if mustEscape(byte) { count += letter(byte) == nil ? 5 : 1 }
      if byte == UInt8(ascii: "{") { count += 5 }
    }
    return count
  }

  /// Whether RFC 8259, section 7 requires a byte to be escaped.
  private static func mustEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func writeEscaped(_ bytes: Span<UInt8>) {
    for position in bytes.indices {
      let byte = bytes[position]
      if Self.mustEscape(byte) { writeEscape(byte) } else { output.append(byte) }
    }
  }

  private mutating func writeEscape(_ byte: UInt8) {
    output.append(UInt8(ascii: "\\"))
    if let letter = Self.letter(byte) { return output.append(letter) }
    // The lowest target can't use `hexadecimalDigits`.
    output.append(contentsOf: (byte < 16 ? "u000" : "u00").utf8)
    output.append(contentsOf: String(byte, radix: 16).utf8)
  }

  /// Returns what follows the backslash of a byte's short escape; `nil` where it has none.
  private static func letter(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    default: nil
    }
  }
}

extension JSONValue {
  /// The size of the value as compact JSON text, or a few bytes more.
  ///
  /// Writing the text to measure it would leave a copy of its secrets in memory.
  package var byteCount: Int {
    switch self {
    case .object(let object): object.members.reduce(2) { $0 + Self.byteCount(of: $1.key, $1.value) }
    case .array(let elements): elements.reduce(2) { $0 + 1 + $1.byteCount }
    case .string(let text): JSONWriter.byteCount(of: text)
    case .number(let number): number.literal.utf8.count
    case .bool, .null: 5
    }
  }

  /// Returns the size of an object's member with its colon and comma.
  package static func byteCount(of name: String, _ value: JSONValue) -> Int {
    JSONWriter.byteCount(of: name) + 2 + value.byteCount
  }
}
