// SPDX-License-Identifier: MIT

/// A JSON number, kept as its literal text.
///
/// RFC 8259, section 6 sets no limits for range and precision, so a conversion to a machine type may lose
/// information. `1e3`, `1.0` and `12345678901234567890` are written back as they were read. For the same reason two
/// numbers are equal only if their literals are: `1.0` and `1` differ.
///
/// The descriptions are redacted; use ``literal`` to see the number.
public struct JSONNumber: Hashable, Sendable {
  /// The number's text in the document, always valid by RFC 8259, section 6.
  public let literal: String

  /// Creates a number from its literal text; returns `nil` if the text is not a JSON number.
  ///
  /// The text must follow RFC 8259, section 6 exactly: no space, no plus sign, no leading zeros, no `NaN`.
  public init?(literal: String) {
    let bytes = literal.utf8Span.span
    guard let end = try? JSONNumberScanner.end(of: bytes, from: 0), end == bytes.count else { return nil }
    self.literal = literal
  }

  /// Creates a number from an integer, written in decimal digits.
  public init(_ value: some BinaryInteger) {
    literal = String(value)
  }

  /// Creates a number from text that the scanner has already accepted.
  init(scanned literal: String) {
    self.literal = literal
  }
}

extension JSONNumber: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A redacted text without any digit of the number.
  public var description: String { "number(redacted)" }

  /// A redacted text without any digit of the number.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no digit of the number.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
