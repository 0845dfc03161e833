// SPDX-License-Identifier: MIT

/// A condition on the scopes of an entry.
///
/// Scopes are compared as sets, without regard to order and case.
package enum ScopeMatch: Sendable, Hashable {
  /// Any scopes.
  case any
  /// Exactly these scopes, compared with the granted ones.
  case exact(Scopes)
  /// At least these scopes, where a `.default` scope that the token was requested with counts as granted.
  case subset(Scopes)
  /// At least one of these scopes, where a `.default` scope that the token was requested with counts as granted.
  case intersect(Scopes)

  func matches(_ entry: CredentialEntry) -> Bool {
    switch self {
    case .any: true
    case .exact(let wanted): wanted == entry.scopes
    case .subset(let wanted): wanted.isSubset(of: entry.satisfiedScopes)
    case .intersect(let wanted): wanted.intersects(entry.satisfiedScopes)
    }
  }
}
