// SPDX-License-Identifier: MIT

/// A kind of credential in a unified cache.
public enum CredentialKind: String, Sendable, Hashable, CaseIterable {
  /// A bearer access token.
  case accessToken = "AccessToken"
  /// An access token that is bound to a key (PoP) or has another scheme, such as `ssh-cert`.
  case accessTokenWithAuthScheme = "AccessToken_With_AuthScheme"
  /// A refresh token, which belongs to a family if it has a `family_id`.
  case refreshToken = "RefreshToken"
  /// A family refresh token, in the form that MSAL for Apple's systems writes when it keeps a single one.
  case familyRefreshToken = "FamilyRefreshToken"
  /// A refresh token bound to a device.
  case boundRefreshToken = "BoundRefreshToken"
  /// A primary refresh token.
  case primaryRefreshToken = "PrimaryRefreshToken"
  /// An ID token.
  case idToken = "IdToken"
  /// An ID token of the v1 endpoint.
  case v1IDToken = "V1IdToken"

  /// Reads a `credential_type` without regard to case, or returns `nil` for a kind that this version doesn't know.
  public init?(name: String) {
    let lower = name.lowercased()
    guard let kind = Self.allCases.first(where: { $0.rawValue.lowercased() == lower }) else { return nil }
    self = kind
  }

  /// Whether the kind is one of the two kinds of access token.
  public var isAccessToken: Bool { self == .accessToken || self == .accessTokenWithAuthScheme }

  /// The section of a document that holds credentials of this kind.
  package var section: CacheSection {
    switch self {
    case .accessToken, .accessTokenWithAuthScheme: .accessToken
    case .refreshToken, .familyRefreshToken, .boundRefreshToken, .primaryRefreshToken: .refreshToken
    case .idToken, .v1IDToken: .idToken
    }
  }
}
