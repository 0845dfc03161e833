// SPDX-License-Identifier: MIT

/// A condition on a member that an entry may lack.
package enum ValueMatch: Sendable, Hashable {
  /// Any value or none.
  case any
  /// No value.
  ///
  /// A blank value counts as none.
  case absent
  /// Exactly this value, with the same case.
  case equal(String)

  /// Creates a condition for a value, or for no value when it is `nil` or blank.
  package init(_ value: String?) {
    if let value, !value.allSatisfy(\.isWhitespace) { self = .equal(value) } else { self = .absent }
  }

  func matches(_ value: String?) -> Bool {
    switch self {
    case .any: true
    case .absent: value?.allSatisfy(\.isWhitespace) ?? true
    case .equal(let wanted): value == wanted
    }
  }
}
