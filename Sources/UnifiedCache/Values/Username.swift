// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON

/// A user name as it is compared: without regard to case, to surrounding white space or to more than 30 combining marks in
/// a row.
///
/// The MSALs compare user names without regard to case; ADAL also trims them. An app may show what a person typed, so
/// that both rules apply to every user name here.
package struct Username: Hashable, Comparable, Sendable {
  /// The form in which names are compared: in lower case, without surrounding white space; empty for none.
  package let compared: String

  package init(_ text: String?) {
    WorkMeter.count()
    compared = KeychainText.normalized(text ?? "").withLimitedMarks
  }

  package static func < (left: Self, right: Self) -> Bool { left.compared < right.compared }
}
