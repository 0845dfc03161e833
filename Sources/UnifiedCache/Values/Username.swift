// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON

/// A user name as it is compared: without regard to case, to surrounding white space or to more than 30 combining marks
/// in a row.
///
/// Case is Unicode's full case folding, so that `STRASSE` is `straße`, and a final sigma a sigma.
///
/// The MSALs compare user names without regard to case; ADAL also trims them. An app may show what a person typed, so
/// that both rules apply to every user name here.
package struct Username: Hashable, Comparable, Sendable {
  /// The form in which names are compared: with case folded, without surrounding white space; empty for none.
  package let compared: String

  package init(_ text: String?) {
    WorkMeter.count()
    compared = KeychainText.normalized(Self.folded(text ?? "")).withLimitedMarks
  }

  /// Returns a text with case folded: each character in lower case, its capitals, and these in lower case.
  ///
  /// A capital ẞ has no other capitals, and those of ß are SS. The capital of a dotless i is an i's, which is another
  /// letter.
  private static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    return text.unicodeScalars.reduce(into: "") { folded, scalar in
      folded += scalar == "\u{131}" ? "\u{131}" : scalar.properties.lowercaseMapping.uppercased().lowercased()
    }
  }

  package static func < (left: Self, right: Self) -> Bool { left.compared < right.compared }
}
