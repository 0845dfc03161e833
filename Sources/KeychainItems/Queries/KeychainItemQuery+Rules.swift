// SPDX-License-Identifier: MIT

import UnifiedCache

extension KeychainItemQuery {
  /// Creates the query for credentials, with as many attributes as MSAL for iOS and macOS sets.
  ///
  /// - The account is set when both the home account ID and the environment are given.
  /// - The service is set for an access token when the client or family, the realm and the target are given; for a
  ///   refresh token and a primary refresh token when the client or family is given; for an ID token when the
  ///   client and the realm are given; for other kinds never.
  /// - The generic attribute is set for a refresh token when the client or family is given; for other kinds when
  ///   the realm is given too.
  /// - The type is set when the kind is given. Without a kind, neither the service nor the generic attribute is
  ///   set.
  ///
  /// A client, family or target that need not match exactly counts as not given, except for the client in an ID
  /// token's service.
  public init(_ criteria: KeychainCredentialCriteria) {
    let name = criteria.exactName
    self.init(
      account: Self.account(criteria.homeAccountID, environment: criteria.environment),
      service: criteria.service(name), generic: criteria.generic(name), type: criteria.kind?.keychainType)
  }

  /// Returns the query for accounts.
  ///
  /// - Parameters:
  ///   - homeAccountID: The home account ID; used only together with the environment.
  ///   - environment: The environment; used only together with the home account ID.
  ///   - realm: The tenant, or `nil` for any.
  ///   - username: The user name, or `nil` for any.
  ///   - type: The issuer of the account; ``KeychainAccountType/other`` for any.
  public static func accounts(
    homeAccountID: String? = nil, environment: String? = nil, realm: String? = nil, username: String? = nil,
    type: KeychainAccountType = .mssts
  ) -> KeychainItemQuery {
    KeychainItemQuery(
      account: account(homeAccountID, environment: environment), service: realm.map(KeychainText.normalized),
      generic: username.map(KeychainText.normalized), type: type == .other ? nil : type.keychainType)
  }

  /// Returns the query for metadata of clients; `nil` matches any client or environment.
  public static func appMetadata(clientID: String? = nil, environment: String? = nil) -> KeychainItemQuery {
    KeychainItemQuery(
      account: environment, service: clientID.map(KeychainText.appMetadataService),
      type: KeychainItemKey.appMetadataType)
  }

  /// Returns the query for account metadata of clients; `nil` matches any client.
  public static func accountMetadata(clientID: String? = nil) -> KeychainItemQuery {
    KeychainItemQuery(
      account: KeychainItemKey.accountMetadataAccount, service: clientID,
      type: KeychainItemKey.accountMetadataType)
  }

  private static func account(_ homeAccountID: String?, environment: String?) -> String? {
    guard let homeAccountID, let environment else { return nil }
    return KeychainText.account(homeAccountID, environment: environment)
  }
}

extension KeychainCredentialCriteria {
  /// The name with the kind and the exact owner only; `nil` unless both are given.
  fileprivate var exactName: KeychainCredentialName? {
    guard let kind, isClientExact else { return nil }
    return KeychainCredentialName.owner(clientID: clientID, familyID: familyID).map {
      KeychainCredentialName(kind: kind, owner: $0)
    }
  }

  fileprivate func service(_ name: KeychainCredentialName?) -> String? {
    switch kind {
    case .accessToken, .accessTokenWithAuthScheme:
      guard var name, let realm, let target, isTargetExact else { return nil }
      name.realm = realm
      name.applicationIdentifier = applicationIdentifier
      name.target = target
      name.tokenType = tokenType
      name.requestedClaims = requestedClaims
      return name.service
    case .refreshToken, .primaryRefreshToken:
      return name?.service
    case .idToken, .v1IDToken:
      guard let kind, let clientID, let realm else { return nil }
      return KeychainCredentialName(kind: kind, owner: clientID, realm: realm).service
    case .familyRefreshToken, .boundRefreshToken, nil:
      return nil
    }
  }

  fileprivate func generic(_ name: KeychainCredentialName?) -> String? {
    guard var name else { return nil }
    if name.kind == .refreshToken { return name.generic }
    guard let realm else { return nil }
    name.realm = realm
    if name.kind.isAccessToken { name.applicationIdentifier = applicationIdentifier }
    return name.generic
  }
}
