// SPDX-License-Identifier: MIT

/// What an item of ADAL's is, as its tokens and its client tell.
public enum ADALTokenKind: String, Sendable, Hashable, CaseIterable {
  /// An access token for one resource.
  case accessToken
  /// A refresh token for every resource of the user.
  case multiResourceRefreshToken
  /// A refresh token for every client of a family.
  case familyRefreshToken
  /// An access token and the refresh token for its resource alone, as AD FS gives them.
  case singleResource
}

extension ADALToken {
  /// What it is; `nil` for one that holds no token, or a removed one's place.
  public var kind: ADALTokenKind? {
    if refreshToken == Self.tombstone { return nil }
    return switch (accessToken != nil, refreshToken != nil) {
    case (true, true): .singleResource
    case (true, false): .accessToken
    case (false, true):
      clientID.hasPrefix(Self.familyPrefix) ? .familyRefreshToken : .multiResourceRefreshToken
    case (false, false): nil
    }
  }
}
