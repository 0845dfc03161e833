// SPDX-License-Identifier: MIT

/// A scanner for the grammar of numbers: `[ "-" ] int [ frac ] [ exp ]` (RFC 8259, section 6).
enum JSONNumberScanner {
  /// Returns the position after the number that starts at `start`.
  ///
  /// Does not check what follows the number, except that it refuses a digit after a leading zero.
  static func end(of bytes: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
    var position = start
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    let integer = position
    position = try digits(in: bytes, from: position)
    if bytes[integer] == UInt8(ascii: "0"), position > integer + 1 {
      throw JSONError(reason: .invalidNumber, offset: integer)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position = try digits(in: bytes, from: position + 1)
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      position = try digits(in: bytes, from: position)
    }
    return position
  }

  /// Skips one or more digits.
  private static func digits(in bytes: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
    var position = start
    while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
    if position == start {
      let reason: JSONError.Reason = position == bytes.count ? .unexpectedEnd : .invalidNumber
      throw JSONError(reason: reason, offset: position)
    }
    return position
  }
}
