// SPDX-License-Identifier: MIT

/// The kind of an ADAL item, determined by its tokens, its resource and its client.
package enum ADALTokenKind: String, Sendable, Hashable, CaseIterable {
  /// An access token for one resource.
  case accessToken
  /// A refresh token for every resource of the user.
  case multiResourceRefreshToken
  /// A refresh token for every client of a family.
  case familyRefreshToken
  /// A refresh token for one resource only, as AD FS issues it, mostly together with the access token.
  case singleResource
}

extension ADALToken {
  /// The kind of the item; `nil` for an item without tokens and for a tombstone.
  package var kind: ADALTokenKind? {
    if refreshToken == Self.tombstone { return nil }
    return switch (accessToken != nil, refreshToken != nil) {
    case (true, true): .singleResource
    case (true, false): .accessToken
    case (false, true) where resource != nil: .singleResource
    case (false, true):
      clientID.hasPrefix(Self.familyPrefix) ? .familyRefreshToken : .multiResourceRefreshToken
    case (false, false): nil
    }
  }
}
