// SPDX-License-Identifier: MIT

/// Text of somebody else, made fit for a line of the window.
enum DisplayText {
  /// The most characters that are shown; a label shortens what is longer than its place.
  static let maximumLength = 200

  /// Returns a text without what would break the line, hide in it or change its direction beyond it.
  static func line(_ text: String, maximumLength: Int = maximumLength) -> String {
    let scalars = text.unicodeScalars.lazy.map { $0.properties.isWhitespace ? " " : $0 }
      .filter { !isHidden($0) }.prefix(maximumLength * 4)
    let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
    let line = words.joined(separator: " ")
    return line.count > maximumLength ? line.prefix(maximumLength - 1) + "…" : line
  }

  /// Returns the first of some texts that shows anything.
  static func first(_ texts: String?...) -> String {
    texts.lazy.compactMap(\.self).map { line($0) }.first { !$0.isEmpty } ?? ""
  }

  /// Whether a scalar is a control character, or changes the direction of text (UAX #9).
  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || (0x200E...0x200F).contains(scalar.value)
      || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }
}
