// SPDX-License-Identifier: MIT

extension UInt8 {
  /// The value of an ASCII hexadecimal digit, or `nil` for any other byte.
  package var hexadecimalValue: UInt8? {
    Character(Unicode.Scalar(self)).hexDigitValue.map(UInt8.init)
  }

  /// The byte as two lower-case hexadecimal digits.
  package var hexadecimalDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
