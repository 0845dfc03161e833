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
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): output.append(byte)
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    default:
      // The lowest target can't use `hexadecimalDigits`.
      output.append(contentsOf: (byte < 16 ? "u000" : "u00").utf8)
      output.append(contentsOf: String(byte, radix: 16).utf8)
    }
  }
}
