// SPDX-License-Identifier: MIT

/// How a query compares the scopes it names with those of an entry: as sets, in any order and case.
public enum TargetMatching: Sendable, Hashable {
  /// Whatever the entry's scopes are.
  case any
  /// Just these scopes.
  case exact(Scopes)
  /// These scopes, and perhaps more.
  case subset(Scopes)
  /// At least one of these scopes.
  case intersect(Scopes)

  func matches(_ entry: CredentialEntry) -> Bool {
    switch self {
    case .any: true
    case .exact(let wanted): wanted == entry.scopes
    case .subset(let wanted): wanted.isSubset(of: entry.answeredScopes)
    case .intersect(let wanted): wanted.intersects(entry.answeredScopes)
    }
  }
}
