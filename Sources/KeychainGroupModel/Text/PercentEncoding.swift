// SPDX-License-Identifier: MIT

/// Percent-encoding of text in URLs (RFC 3986 section 2.1) and in D-Bus addresses.
package enum PercentEncoding {
  /// A byte of an encoded text.
  package struct Byte: Sendable {
    /// The byte itself, or the one that an escape stands for.
    package let value: UInt8
    package let isEscaped: Bool
  }

  /// Returns the bytes of a text, with those of its escapes.
  ///
  /// - Parameters:
  ///   - text: The encoded text.
  ///   - mark: The character before the two hexadecimal digits of an escape.
  /// - Returns: `nil` when an escape is malformed.
  package static func bytes(
    of text: Substring.UTF8View, escapedWith mark: UInt8 = UInt8(ascii: "%")
  ) -> [Byte]? {
    var bytes: [Byte] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == mark else {
        bytes.append(Byte(value: byte, isEscaped: false))
        continue
      }
      guard let high = rest.popFirst().flatMap(\.hexadecimalValue),
        let low = rest.popFirst().flatMap(\.hexadecimalValue)
      else { return nil }
      bytes.append(Byte(value: high << 4 | low, isEscaped: true))
    }
    return bytes
  }

  /// Returns the escape of a byte, with upper-case digits.
  package static func escape(_ byte: UInt8) -> String { "%" + byte.hexadecimalDigits.uppercased() }

  /// Encodes every character of a text except the unreserved ones.
  static func encode(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
      if IdentifierRule.isAllowed(byte) || byte == UInt8(ascii: "~") {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += escape(byte)
      }
    }
    return result
  }

  /// Decodes a percent-encoded text.
  ///
  /// - Parameters:
  ///   - text: The encoded text.
  ///   - plusIsSpace: Whether `+` stands for a space, as in a form.
  /// - Returns: The text, or `nil` when an escape is malformed, or the result is not UTF-8 or holds a control
  ///   character.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    guard let bytes = bytes(of: text.utf8) else { return nil }
    let values = bytes.map { byte in
      plusIsSpace && !byte.isEscaped && byte.value == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte.value
    }
    guard let decoded = String(validating: values, as: UTF8.self) else { return nil }
    return decoded.hasUnsafeCharacter ? nil : decoded
  }
}
