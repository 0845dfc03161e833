// SPDX-License-Identifier: MIT

/// The rule that all names in this package follow: at most 200 bytes of ASCII letters, digits, `.`, `-` and `_`.
///
/// A name must not begin with a dot. Every Secret Service provider keeps such names unchanged in a collection's label,
/// object path and file name.
enum IdentifierRule {
  static let maximumBytes = 200

  /// Returns the reason why `text` is not a valid name, or `nil` when it is valid.
  static func problem(with text: String) -> String? {
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > maximumBytes { return "it is longer than \(maximumBytes) bytes" }
    if text.utf8.first == UInt8(ascii: ".") { return "it begins with a dot" }
    if !text.utf8.allSatisfy(isAllowed) {
      return "it holds a character other than ASCII letters, digits, '.', '-' and '_'"
    }
    return nil
  }

  /// Throws `invalidArgument` unless `text` is a valid name.
  static func check(_ text: String, what: String) throws(SecretStoreError) {
    if let problem = problem(with: text) {
      throw SecretStoreError(.invalidArgument, "The \(what) is not valid: \(problem).")
    }
  }

  /// Returns whether a name may hold the byte.
  static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}

extension String {
  /// The name as an argument of a command that is no option: behind `--` when it begins with a hyphen.
  package var asOperand: String { hasPrefix("-") ? "-- \(self)" : self }

  /// Whether the text holds what no identifier may hold: a control character (Unicode category Cc), or more than 30
  /// combining marks in a row.
  ///
  /// GVariant and C strings end at a zero byte, so two different identifiers could become equal. Terminals interpret
  /// other control characters as commands. For the marks see ``withLimitedMarks``.
  package var hasUnsafeCharacter: Bool {
    var run = MarkRun()
    return unicodeScalars.contains { scalar in
      scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || run.exceedsLimit(with: scalar)
    }
  }

  /// The text without the combining marks that follow 30 others.
  ///
  /// To compare or hash strings Swift sorts the marks that follow each other, in time that grows with the square of
  /// their number.
  package var withLimitedMarks: String {
    if utf8Span.isKnownASCII || utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var run = MarkRun()
    return String(String.UnicodeScalarView(unicodeScalars.filter { !run.exceedsLimit(with: $0) }))
  }
}

/// Counts the combining marks that follow each other; the limit is that of Unicode's Stream-Safe Text Format (UAX #15).
private struct MarkRun {
  private var marks = 0

  mutating func exceedsLimit(with scalar: Unicode.Scalar) -> Bool {
    let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    marks = isMark ? marks + 1 : 0
    return marks > 30
  }
}
