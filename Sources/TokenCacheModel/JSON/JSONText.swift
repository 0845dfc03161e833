// SPDX-License-Identifier: MIT

/// Text compared byte by byte.
///
/// `String` compares by canonical equivalence, for which a precomposed and a combining é are the same. RFC
/// 8259, section 8.3 compares names code unit by code unit, and so do keys and values here: what differs in
/// the document stays different.
struct JSONText: Hashable {
  let string: String

  init(_ string: String) {
    self.string = string
  }

  static func == (lhs: Self, rhs: Self) -> Bool {
    equal(lhs.string, rhs.string)
  }

  func hash(into hasher: inout Hasher) {
    Self.hash(string, into: &hasher)
  }

  /// Tells whether two strings have the same UTF-8 bytes.
  static func equal(_ lhs: String, _ rhs: String) -> Bool {
    guard lhs.utf8.count == rhs.utf8.count else { return false }
    let left = lhs.utf8Span
    let right = rhs.utf8Span
    if left.isKnownASCII, right.isKnownASCII { return lhs == rhs }
    return equal(left.span, right.span)
  }

  private static func equal(_ lhs: Span<UInt8>, _ rhs: Span<UInt8>) -> Bool {
    guard lhs.count == rhs.count else { return false }
    for position in lhs.indices where lhs[position] != rhs[position] { return false }
    return true
  }

  /// Hashes the UTF-8 bytes of a string, eight at a time.
  ///
  /// Hashing the bytes, not the `String`, keeps canonically equivalent keys out of one bucket.
  static func hash(_ string: String, into hasher: inout Hasher) {
    let bytes = string.utf8Span.span
    var word: UInt64 = 0
    for position in bytes.indices {
      word = word << 8 | UInt64(bytes[position])
      if position & 7 == 7 {
        hasher.combine(word)
        word = 0
      }
    }
    hasher.combine(word)
    hasher.combine(bytes.count)
  }
}
