// SPDX-License-Identifier: MIT

/// What a query asks of a member that an entry may lack.
public enum FieldMatching: Sendable, Hashable {
  /// Anything, or nothing.
  case any
  /// No value; a blank one counts as none.
  case absent
  /// This value, in exactly this spelling.
  case equal(String)

  /// The value asked for, or that there is none when `nil` is given.
  public init(_ value: String?) {
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
