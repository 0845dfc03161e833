// SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986 section 2.1) of text in URLs.
enum PercentEncoding {
  /// The text with everything but the unreserved characters encoded.
  static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var result = ""
    for byte in text.utf8 {
      if IdentifierRule.isAllowed(byte) || byte == UInt8(ascii: "~") {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result.append("%")
        result.append(digits[Int(byte >> 4)])
        result.append(digits[Int(byte & 15)])
      }
    }
    return result
  }

  /// The text that an encoded one stands for; its escapes are known to be whole.
  ///
  /// - Parameters:
  ///   - text: The encoded text.
  ///   - plusIsSpace: Whether `+` stands for a space, as in a form.
  /// - Returns: `nil` when it is not UTF-8 or holds a control character.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst().flatMap(URLParts.hexadecimal),
          let low = rest.popFirst().flatMap(URLParts.hexadecimal)
        else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else { return nil }
    return decoded.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? decoded : nil
  }
}
