// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

extension TokenEntries {
  /// The family that the refresh token belongs to, if any.
  package var familyID: String? { refreshToken?.familyID }

  /// Writes the entries into the account's document for the client.
  ///
  /// A family refresh token is not written here, because it has its own record. It replaces the client's own refresh
  /// token, which would otherwise be preferred to it. In a refresh only the redeemed and the refused token are
  /// removed. Where the record would become too large, expired access tokens go; if that is not enough, the response's
  /// access token and ID token are left out; and then the other access tokens go: the refresh token can be had only
  /// once.
  ///
  /// - Parameters:
  ///   - redeemed: The refresh token that was redeemed for the response. If the document now holds another one, a
  ///     sign-in happened in the meantime, and its token is kept.
  ///   - refused: The client's own refresh token, if the server refused it before the family's was redeemed.
  package func apply(to document: inout CacheDocument, redeemed: String? = nil, refused: String? = nil) {
    let host = document.hostInUse(for: environment)
    document.removeCredentials { $0.isUnusable(at: savedAt) }
    if let accessToken = accessToken?.under(host) {
      document.removeCredentials { accessToken.replaces($0) }
      document.put(accessToken)
    }
    if let idToken { document.put(idToken.under(host)) }
    if let refreshToken, refreshToken.familyID == nil {
      put(refreshToken, into: &document, replacing: redeemed.map { [$0, refused].compactMap(\.self) })
    } else if refreshToken != nil {
      document.removeCredentials { stored in
        stored.kind == .refreshToken && stored.userAssertionHash == nil
          && (redeemed == nil || [redeemed, refused].contains(stored.secret))
      }
    }
    var (account, metadata) = (account, metadata)
    account.fields["environment"] = .string(host)
    metadata.fields["environment"] = .string(host)
    document.put(account)
    if knowsFamily { document.put(metadata) }
    if let tenantDomain { document.metadata[tenantDomain: tenantDomain] = account.realm }
    let now = savedAt
    if document.makeRoom(within: CacheDocument.roomyBytes, byAccessTokens: { $0.isExpired(at: now) }) {
      return
    }
    let secrets = [accessToken, idToken].compactMap(\.?.secret)
    document.removeCredentials { $0.kind.section != .refreshToken && secrets.contains($0.secret) }
    _ = document.makeRoom(within: CacheDocument.fullBytes) { _ in true }
  }

  /// Writes the family refresh token into the family's document.
  ///
  /// - Parameter redeemed: The redeemed family refresh token, or `nil` when another token or none was redeemed.
  package func applyFamily(to document: inout CacheDocument, redeemed: String? = nil) {
    guard let refreshToken, refreshToken.familyID != nil else { return }
    put(refreshToken, into: &document, replacing: redeemed.map { [$0] })
    document.makeRoom(at: savedAt)
  }

  /// Writes a refresh token in place of those that it replaces: the tokens `replaced`, or any if `replaced` is `nil`.
  ///
  /// If the document holds another token, a sign-in happened in the meantime, and its token is kept.
  private func put(
    _ token: CredentialEntry, into document: inout CacheDocument, replacing replaced: [String]?
  ) {
    let stored = document.credentials.filter { $0.isSameGrant(as: token) }
    if let replaced, !stored.isEmpty, !stored.contains(where: { replaced.contains($0.secret) }) { return }
    var token = token.under(document.hostInUse(for: environment))
    if stored.contains(where: { $0.fields["last_modification_time"] != nil }) {
      token.fields["last_modification_time"] = UnixTime.value(savedAt)
    }
    document.put(token)
    document.removeCredentials { old in
      old.isSameGrant(as: token) && old.secret != token.secret && replaced?.contains(old.secret) != false
    }
    document.metadata.refreshTokenAt = savedAt
  }
}

extension CacheDocument {
  /// Returns the host under which the document already has entries of an environment.
  ///
  /// Some MSALs search only one host. They would miss the account if its entries were under several hosts.
  fileprivate func hostInUse(for environment: String) -> String {
    let hosts = accounts.map(\.environment) + credentials.map(\.environment)
    return hosts.first { CloudEnvironment.areSame($0, environment) } ?? environment
  }
}

extension CredentialEntry {
  /// Returns whether the entry is a refresh token for the same owner and issuer.
  ///
  /// MSAL for Apple's systems stores family refresh tokens as a separate kind. MSAL Python does not store the issuer.
  fileprivate func isSameGrant(as token: CredentialEntry) -> Bool {
    guard [.refreshToken, .familyRefreshToken].contains(kind) else { return false }
    let (own, others) = (identity, token.identity)
    return own.owner == others.owner && userAssertionHash == token.userAssertionHash
      && (own.realm == others.realm || own.realm.isEmpty || others.realm.isEmpty)
  }

  /// Returns whether the entry is an access token for claims, a key or a user assertion, and is past its extended
  /// lifetime.
  ///
  /// Each of these gets a new token, so the old ones are never requested again.
  fileprivate func isUnusable(at now: Date) -> Bool {
    guard kind.isAccessToken,
      fields["requested_claims"] != nil || fields["kid"] != nil || userAssertionHash != nil
    else { return false }
    return isExpired(at: now)
  }
}

extension CredentialEntry {
  /// Returns whether this new access token replaces another one.
  ///
  /// Both must have the same account, client, tenant and kind, and a resource scope in common. The sign-in scopes do
  /// not count, because nearly every token has `openid` and `profile`, and tokens of different resources must not
  /// replace each other. If both tokens have `.default` scopes, only those are compared, because two resources may
  /// have scopes of the same name. A token that was requested with claims also replaces the token without claims,
  /// which the resource refused.
  package func replaces(_ other: CredentialEntry) -> Bool {
    guard other.kind.isAccessToken,
      other.partitionIdentity == partitionIdentity
        || requestedClaims != nil && other.partitionIdentity == withoutClaims.partitionIdentity
    else { return false }
    if !requestedDefaults.isEmpty && !other.requestedDefaults.isEmpty {
      return requestedDefaults.intersects(other.requestedDefaults)
    }
    let scopes = self.satisfiedScopes.resourceScopes
    let others = other.satisfiedScopes.resourceScopes
    return scopes.intersects(others) || (scopes.isEmpty && others.isEmpty)
  }

  private var withoutClaims: CredentialEntry {
    var entry = self
    entry.requestedClaims = nil
    return entry
  }

  /// The identity without the scopes.
  private var partitionIdentity: Identity {
    let identity = identity
    return Identity(
      kind: identity.kind, homeAccountID: identity.homeAccountID, environment: identity.environment,
      owner: identity.owner, realm: identity.realm, scopes: [], tokenType: identity.tokenType,
      partition: identity.partition)
  }
}
