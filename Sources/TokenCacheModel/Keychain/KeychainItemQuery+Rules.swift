// SPDX-License-Identifier: MIT

extension KeychainItemQuery {
  /// The query for credentials, which gives as many attributes as MSAL for iOS and macOS does.
  ///
  /// - The account is given when both home account and environment are.
  /// - The service is given for an access token when client or family, realm and target are; for a refresh
  ///   token and a primary one when client or family is; for an id token when client and realm are; for
  ///   other kinds never.
  /// - The generic attribute is given for a refresh token when client or family is; for other kinds when
  ///   the realm is too.
  /// - The type is given when the kind is; without a kind, neither service nor generic attribute are.
  ///
  /// A client, a family or a target that need not be exact counts as not given, but for a client in an id
  /// token's service.
  public init(_ criteria: KeychainCredentialCriteria) {
    let name = criteria.exactName
    self.init(
      account: Self.account(criteria.homeAccountID, environment: criteria.environment),
      service: criteria.service(name), generic: criteria.generic(name), type: criteria.kind?.keychainType)
  }

  /// The query for accounts.
  ///
  /// - Parameters:
  ///   - homeAccountID: Of use only together with the environment.
  ///   - environment: Of use only together with the home account.
  ///   - realm: The tenant, or `nil` for any.
  ///   - username: What a person knows the account by, or `nil` for any.
  ///   - type: Who issued the account; ``KeychainAccountType/other`` for anybody.
  public static func accounts(
    homeAccountID: String? = nil, environment: String? = nil, realm: String? = nil, username: String? = nil,
    type: KeychainAccountType = .mssts
  ) -> KeychainItemQuery {
    KeychainItemQuery(
      account: account(homeAccountID, environment: environment), service: realm.map(KeychainText.normalized),
      generic: username.map(KeychainText.normalized), type: type == .other ? nil : type.keychainType)
  }

  /// The query for what is known of clients.
  public static func appMetadata(clientID: String? = nil, environment: String? = nil) -> KeychainItemQuery {
    KeychainItemQuery(
      account: environment, service: clientID.map(KeychainText.appMetadataService),
      type: KeychainItemKey.appMetadataType)
  }

  /// The query for what clients know of their accounts.
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
  /// The name that kind and exact owner give, with nothing else; `nil` without either.
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
