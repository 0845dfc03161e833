// SPDX-License-Identifier: MIT

/// The kinds of credential in a unified cache.
public enum CredentialKind: String, Sendable, Hashable, CaseIterable {
  /// A bearer access token.
  case accessToken = "AccessToken"
  /// An access token bound to a key (PoP) or of another scheme (`ssh-cert`).
  case accessTokenWithAuthScheme = "AccessToken_With_AuthScheme"
  /// A refresh token; one with a `family_id` belongs to the family.
  case refreshToken = "RefreshToken"
  /// A refresh token of a family, in the form MSAL for Apple's systems writes when it keeps a single one.
  case familyRefreshToken = "FamilyRefreshToken"
  /// A refresh token bound to a device.
  case boundRefreshToken = "BoundRefreshToken"
  /// A primary refresh token.
  case primaryRefreshToken = "PrimaryRefreshToken"
  /// An id token.
  case idToken = "IdToken"
  /// An id token of the v1 endpoint.
  case v1IDToken = "V1IdToken"

  /// Reads `credential_type`, in any case; `nil` for a kind this version doesn't know.
  public init?(name: String) {
    let lower = name.lowercased()
    guard let kind = Self.allCases.first(where: { $0.rawValue.lowercased() == lower }) else { return nil }
    self = kind
  }

  /// Whether it is an access token of either kind.
  public var isAccessToken: Bool { self == .accessToken || self == .accessTokenWithAuthScheme }

  /// The document's section that holds credentials of this kind.
  var section: CacheSection {
    switch self {
    case .accessToken, .accessTokenWithAuthScheme: .accessToken
    case .refreshToken, .familyRefreshToken, .boundRefreshToken, .primaryRefreshToken: .refreshToken
    case .idToken, .v1IDToken: .idToken
    }
  }
}
