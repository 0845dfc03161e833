// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// What a token response becomes in the unified cache: a pure function of the response and its circumstances.
struct TokenEntries {
  let homeAccountID: String
  let environment: String
  let account: AccountEntry
  let metadata: AppMetadataEntry
  /// The domain by which the authority named the tenant, where the answer says the tenant's id.
  let tenantDomain: String?
  /// When the response came.
  let savedAt: Date
  private(set) var accessToken: CredentialEntry?
  private(set) var refreshToken: CredentialEntry?
  private(set) var idToken: CredentialEntry?

  /// - Throws: `corruptItem` when the response does not say whose it is.
  init(_ response: TokenResponse, _ context: ResponseContext) throws(SecretStoreError) {
    let (authority, clientID, now) = (context.authority, context.clientID, context.now)
    let environment = context.environment
    let homeAccountID = try Self.homeAccountID(response, authority: authority, known: context.known)
    let realm = Self.realm(response, authority: authority, homeAccountID: homeAccountID)
    self.savedAt = now
    self.homeAccountID = homeAccountID
    self.environment = environment
    self.tenantDomain =
      authority.isTenantDomain && response.claims?.tenantID != nil ? authority.realm : nil
    self.account = Self.account(response, context, homeAccountID: homeAccountID, realm: realm)
    self.metadata = AppMetadataEntry(
      clientID: clientID, environment: environment, familyID: response.familyID)

    func entry(_ kind: CredentialKind, _ secret: String) -> CredentialEntry {
      CredentialEntry(
        kind: kind, homeAccountID: homeAccountID, environment: environment, clientID: clientID, secret: secret
      )
    }
    if let secret = response.accessToken {
      let isBearer = response.tokenType.lowercased() == "bearer"
      var token = entry(isBearer ? .accessToken : .accessTokenWithAuthScheme, secret)
      token.realm = realm
      token.scopes = response.scopes ?? context.scopes
      token.requestedDefaults = context.scopes.defaults.subtracting(token.scopes)
      token.requestedClaims = context.claims
      token.applicationIdentifier = context.applicationIdentifier
      token.keyID = isBearer ? nil : context.keyID
      token.tokenType = isBearer ? nil : response.tokenType
      token.cachedAt = now
      // The lifetime goes before the point in time: the server's clock need not be this one's.
      func time(_ point: Int?, _ lifetime: Int?) -> Date? {
        lifetime.map { now.addingTimeInterval(Double($0)) }
          ?? point.map { Date(timeIntervalSince1970: Double($0)) }
      }
      token.expiresOn =
        time(response.expiresOn, response.statedLifetime) ?? time(nil, response.expiresIn)
      token.extendedExpiresOn = time(response.extendedExpiresOn, response.extendedExpiresIn)
      token.refreshOn = time(response.refreshOn, response.refreshIn)
      self.accessToken = token
    }
    if let secret = response.refreshToken {
      var token = entry(.refreshToken, secret)
      token.familyID = response.familyID
      if !authority.isMicrosofts { token.realm = realm }
      self.refreshToken = token
    }
    if let secret = response.idToken {
      var token = entry(.idToken, secret)
      token.realm = realm
      self.idToken = token
    }
  }

  /// Leaves the tokens of resources out.
  mutating func keepRefreshTokenOnly() { (accessToken, idToken) = (nil, nil) }

  /// `client_info` names the account in Azure AD, the id token's `sub` elsewhere; a refresh's answer may name
  /// none and is then the known account's (OpenID Connect Core 1.0 section 12.2).
  private static func homeAccountID(
    _ response: TokenResponse, authority: Authority, known: Account?
  ) throws(SecretStoreError) -> String {
    switch authority.kind {
    case .aad, .b2c:
      if let info = response.clientInfo { return info.homeAccountID }
      if let known, response.claims == nil { return known.identifier }
      throw SecretStoreError(.corruptItem, "The token response of an Azure AD authority lacks client_info.")
    case .adfs, .openID:
      if let subject = response.claims?.subject { return subject }
      if let known { return known.identifier }
      throw SecretStoreError(.corruptItem, "The token response has no id token with a sub: whose is it?")
    }
  }

  private static func realm(
    _ response: TokenResponse, authority: Authority, homeAccountID: String
  ) -> String {
    switch authority.kind {
    case .aad, .b2c:
      if let tenant = response.claims?.tenantID { return tenant }
      return authority.isTenantless ? response.clientInfo?.utid.lowercased() ?? "" : authority.realm
    case .adfs, .openID: return authority.realm
    }
  }

  private static func account(
    _ response: TokenResponse, _ context: ResponseContext, homeAccountID: String, realm: String
  ) -> AccountEntry {
    var entry = AccountEntry(homeAccountID: homeAccountID, environment: context.environment, realm: realm)
    func set(_ name: String, _ value: String?) { if let value { entry.fields[name] = .string(value) } }
    set("authority_type", context.authority.kind == .adfs ? "ADFS" : "MSSTS")
    set("local_account_id", response.claims?.localAccountID ?? response.clientInfo?.uid)
    set("username", response.claims?.username)
    set("client_info", response.encodedClientInfo)
    for name in ["name", "given_name", "family_name", "middle_name"] { set(name, response.claims?[name]) }
    return entry
  }
}
