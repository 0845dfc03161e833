// SPDX-License-Identifier: MIT

import StrictJSON

/// A user name as it is compared: without regard to case or to surrounding white space.
///
/// The MSALs compare user names without regard to case; ADAL also trims them. An app may show what a person typed, so
/// that both rules apply to every user name here.
package struct Username: Hashable, Comparable, Sendable {
  /// The form in which names are compared: in lower case, without surrounding white space; empty for none.
  package let compared: String

  package init(_ text: String?) {
    WorkMeter.count()
    compared = KeychainText.normalized(text ?? "")
  }

  package static func < (left: Self, right: Self) -> Bool { left.compared < right.compared }
}
