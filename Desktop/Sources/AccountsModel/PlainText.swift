// SPDX-License-Identifier: MIT

extension String {
  /// The text as one line that shows what it holds: for names that anybody may have written.
  ///
  /// Control characters, line separators and format characters, which could hide text or turn its direction, become
  /// the replacement character. The joiners stay, because Persian words and emoji need them.
  ///
  /// - Parameter limit: The number of Unicode scalars after which the text is cut, so that it fits on a screen.
  package func plainText(upTo limit: Int) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in unicodeScalars.prefix(limit) {
      switch scalar.properties.generalCategory {
      case .format where Self.joiners.contains(scalar): plain.append(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator: plain.append("\u{FFFD}")
      default: plain.append(scalar)
      }
    }
    return String(plain) + (unicodeScalars.count > limit ? "…" : "")
  }

  /// The plain text of a name or an identifier.
  package var plainText: String { plainText(upTo: 200) }

  /// The plain text for use in a sentence, whose direction it does not change.
  package var inSentence: String { "\u{2068}\(plainText)\u{2069}" }

  /// The zero-width joiner and non-joiner.
  private static let joiners: Set<Unicode.Scalar> = ["\u{200C}", "\u{200D}"]
}
