// SPDX-License-Identifier: MIT

import FoundationEssentials
package import KeychainGroupModel
import StrictJSON

/// The cache entries of a token response, computed from the response and its context only.
package struct TokenEntries {
  package let homeAccountID: String
  package let environment: String
  private(set) var account: AccountEntry
  let metadata: AppMetadataEntry
  /// Whether ``metadata`` says to which family the client belongs; a broker's reply can't say.
  private(set) var knowsFamily = true
  /// The domain by which the authority named the tenant, if the response has the tenant ID.
  let tenantDomain: String?
  /// The time of the response.
  let savedAt: Date
  package private(set) var accessToken: CredentialEntry?
  package private(set) var refreshToken: CredentialEntry?
  package private(set) var idToken: CredentialEntry?

  /// Creates the entries of a response.
  ///
  /// A server may repeat tokens in other members of a response. Such values are not stored as identifiers, labels or
  /// names.
  ///
  /// - Throws: `missingClientInfo` or `invalidResponse` when the response does not name its account.
  ///   `invalidResponse` when it names the account by a token, or its ID token is of another issuer or for another
  ///   client. `invalidArgument` when an identifier of the entries holds a control character.
  package init(_ response: TokenResponse, _ context: ResponseContext) throws(SecretStoreError) {
    let (authority, clientID, now) = (context.authority, context.clientID, context.now)
    let environment = context.environment
    if response.hasForeignIDToken(for: clientID, at: authority) { throw Self.foreignIDToken }
    let homeAccountID = try response.homeAccountID(context)
    let realm = Self.realm(response, authority: authority, homeAccountID: homeAccountID)
    let tokens = context.tokens([
      response.accessToken, response.refreshToken, response.idToken, context.redeemed,
    ])
    if [homeAccountID, realm].contains(where: { $0.hasToken(among: tokens) }) {
      throw SecretStoreError(.invalidResponse, "The token response names the account by a token.")
    }
    let hasFamilies = HomeAccountID(homeAccountID).hasFamilies(at: environment)
    let familyID = response.familyID.flatMap { !hasFamilies || $0.repeats(any: tokens) ? nil : $0 }
    self.savedAt = now
    self.homeAccountID = homeAccountID
    self.environment = environment
    self.tenantDomain =
      authority.isTenantDomain && response.claims?.tenantID != nil ? authority.realm : nil
    self.account = Self.account(
      response, context, homeAccountID: homeAccountID, realm: realm, without: tokens)
    self.metadata = AppMetadataEntry(
      clientID: clientID, environment: environment, familyID: familyID)

    func entry(_ kind: CredentialKind, _ secret: String) -> CredentialEntry {
      var entry = CredentialEntry(
        kind: kind, homeAccountID: homeAccountID, environment: environment, clientID: clientID, secret: secret
      )
      entry.userAssertionHash = context.userAssertionHash
      return entry
    }
    self.accessToken = CredentialEntry(
      accessTokenOf: response, context, homeAccountID: homeAccountID, realm: realm, without: tokens)
    if let secret = response.refreshToken {
      var token = entry(.refreshToken, secret)
      token.familyID = familyID
      if !authority.isMicrosoftHost { token.realm = realm }
      self.refreshToken = token
    }
    if let secret = response.idToken {
      var token = entry(.idToken, secret)
      token.realm = realm
      self.idToken = token
    }
    let credentials = [accessToken, refreshToken, idToken].compactMap(\.self)
    for credential in credentials { try credential.checkIdentifiers() }
    let unsafe =
      IdentifyingMembers.account.unsafe(in: account.fields)
      ?? IdentifyingMembers.appMetadata.unsafe(in: metadata.fields)
    if let unsafe { throw CredentialEntry.unsafeCharacter(in: unsafe) }
  }

  package static var foreignIDToken: SecretStoreError {
    SecretStoreError(
      .invalidResponse, "The token response's id token is of another issuer or for another client.")
  }

  /// Marks the account as one that the identity broker has.
  package mutating func markAsFromBroker() {
    account.fields["account_source"] = "broker"
    knowsFamily = false
  }

  /// The same entries with a refresh token that is the client's own.
  package var withoutFamily: TokenEntries {
    var entries = self
    entries.refreshToken?.familyID = nil
    return entries
  }

  /// Removes the access token and the ID token.
  package mutating func keepRefreshTokenOnly() { (accessToken, idToken) = (nil, nil) }

  /// Removes the refresh token and the ID token.
  package mutating func keepAccessTokenOnly() { (refreshToken, idToken) = (nil, nil) }

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
    _ response: TokenResponse, _ context: ResponseContext, homeAccountID: String, realm: String,
    without tokens: [String]
  ) -> AccountEntry {
    var entry = AccountEntry(homeAccountID: homeAccountID, environment: context.environment, realm: realm)
    func set(_ name: String, _ value: String?) {
      if let value, !value.hasToken(among: tokens) { entry.fields[name] = .string(value) }
    }
    set("authority_type", context.authority.kind == .adfs ? "ADFS" : "MSSTS")
    set("local_account_id", response.claims?.localAccountID ?? response.clientInfo?.uid)
    set("username", response.claims?.username)
    set("client_info", response.encodedClientInfo)
    for name in ["name", "given_name", "family_name", "middle_name"] { set(name, response.claims?[name]) }
    return entry
  }
}

extension TokenResponse {
  /// Returns the account's identifier.
  ///
  /// In Azure AD it comes from `client_info`, elsewhere from the `sub` of the ID token. The response to a refresh may
  /// have neither; then it is the identifier of the known account (OpenID Connect Core 1.0 section 12.2).
  ///
  /// - Throws: `missingClientInfo` or `invalidResponse` when the response does not name its account.
  package func homeAccountID(_ context: ResponseContext) throws(SecretStoreError) -> String {
    switch context.authority.kind {
    case .aad, .b2c:
      if let clientInfo { return clientInfo.homeAccountID }
      if let knownAccount = context.knownAccount { return knownAccount }
      throw SecretStoreError(
        .missingClientInfo,
        "The token response has no client_info: send client_info=1 with the requests to Azure AD.")
    case .adfs, .openID:
      if let subject = claims?.subject { return subject }
      if let knownAccount = context.knownAccount { return knownAccount }
      throw SecretStoreError(
        .invalidResponse, "The token response does not name its account: it has no id token with a sub.")
    }
  }
}
