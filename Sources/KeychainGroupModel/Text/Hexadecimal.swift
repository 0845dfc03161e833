// SPDX-License-Identifier: MIT

extension UInt8 {
  /// The value of an ASCII hexadecimal digit, or `nil` for any other byte.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The byte as two lower-case hexadecimal digits.
  package var hexadecimalDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
