// SPDX-License-Identifier: MIT

/// What an item of ADAL's is, as its tokens and its client tell.
public enum ADALTokenKind: String, Sendable, Hashable, CaseIterable {
  /// An access token for one resource.
  case accessToken
  /// A refresh token for every resource of the user.
  case multiResourceRefreshToken
  /// A refresh token for every client of a family.
  case familyRefreshToken
  /// A refresh token for one resource alone, as AD FS gives it, mostly with the access token.
  case singleResource
}

extension ADALToken {
  /// What it is; `nil` for one that holds no token, or a removed one's place.
  public var kind: ADALTokenKind? {
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
