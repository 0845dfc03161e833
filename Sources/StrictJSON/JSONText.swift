// SPDX-License-Identifier: MIT

/// A string that is compared byte by byte.
///
/// `String` compares by canonical equivalence, so a precomposed and a decomposed é are equal. RFC 8259, section 8.3
/// compares names by code unit. Keys and values do the same here: what differs in the document stays different.
package struct JSONText: Hashable {
  package let string: String

  package init(_ string: String) {
    self.string = string
  }

  package static func == (lhs: Self, rhs: Self) -> Bool {
    equal(lhs.string, rhs.string)
  }

  package func hash(into hasher: inout Hasher) {
    Self.hash(string, into: &hasher)
  }

  /// Returns whether two strings have the same UTF-8 bytes.
  package static func equal(_ lhs: String, _ rhs: String) -> Bool {
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
  /// Hashing the bytes instead of the `String` gives canonically equivalent keys different hash values.
  package static func hash(_ string: String, into hasher: inout Hasher) {
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
