// SPDX-License-Identifier: MIT

import FoundationEssentials

extension TokenEntries {
  /// The family that the refresh token belongs to, if any.
  var familyID: String? { refreshToken?.familyID }

  /// Puts the entries into the account's document for the client.
  ///
  /// A family's refresh token is not among them: it has a record of its own. The client's own older one goes
  /// then, since it would be preferred to the family's.
  ///
  /// - Parameters:
  ///   - redeemed: The refresh token that was redeemed for the response. When the document holds another one by now,
  ///     somebody signed in meanwhile, and theirs stays.
  ///   - refused: The client's own refresh token, when the server refused it before the family's was redeemed.
  func apply(to document: inout CacheDocument, redeemed: String? = nil, refused: String? = nil) {
    let host = document.hostInUse(for: environment)
    document.removeCredentials { $0.isSpentForGood(at: savedAt) }
    if let accessToken = accessToken?.under(host) {
      document.removeCredentials { accessToken.replaces($0) }
      document.put(accessToken)
    }
    if let idToken { document.put(idToken.under(host)) }
    if let refreshToken, refreshToken.familyID == nil {
      put(refreshToken, into: &document, replacing: redeemed.map { [$0, refused].compactMap(\.self) })
    } else if refreshToken != nil {
      document.removeCredentials { stored in
        stored.kind == .refreshToken && (redeemed == nil || [redeemed, refused].contains(stored.secret))
      }
    }
    var (account, metadata) = (account, metadata)
    account.fields["environment"] = .string(host)
    metadata.fields["environment"] = .string(host)
    document.put(account)
    document.put(metadata)
    if let tenantDomain { document.sharing[tenantDomain: tenantDomain] = account.realm }
  }

  /// Puts the family's refresh token into the family's document.
  ///
  /// - Parameter redeemed: The family's refresh token that was redeemed; `nil` when another one was, or none.
  func applyFamily(to document: inout CacheDocument, redeemed: String? = nil) {
    guard let refreshToken, refreshToken.familyID != nil else { return }
    put(refreshToken, into: &document, replacing: redeemed.map { [$0] })
  }

  /// Puts a refresh token in the place of those that it replaces, of whatever kind; of any, when `replaced` is `nil`.
  ///
  /// When the document holds another one by now, somebody signed in meanwhile, and theirs stays.
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
    document.sharing.refreshTokenAt = savedAt
  }
}

extension CacheDocument {
  /// The host of an environment that the document's entries are under: a peer that looks under one host at a time
  /// would lose the account if its entries were under several.
  fileprivate func hostInUse(for environment: String) -> String {
    let hosts = accounts.map(\.environment) + credentials.map(\.environment)
    return hosts.first { CloudEnvironment.areSame($0, environment) } ?? environment
  }
}

extension CredentialEntry {
  /// Whether the entry is a refresh token for the same owner and issuer: MSAL on Apple's systems keeps a family's
  /// under a kind of its own, and MSAL Python does not say the issuer.
  fileprivate func isSameGrant(as token: CredentialEntry) -> Bool {
    guard [.refreshToken, .familyRefreshToken].contains(kind) else { return false }
    let (own, others) = (identity, token.identity)
    return own.owner == others.owner
      && (own.realm == others.realm || own.realm.isEmpty || others.realm.isEmpty)
  }

  /// Whether the entry is an access token for claims or a key that has expired for good: each challenge and each key
  /// brings another, and nobody would ask for the old ones again.
  fileprivate func isSpentForGood(at now: Date) -> Bool {
    guard kind.isAccessToken, fields["requested_claims"] != nil || fields["kid"] != nil else { return false }
    return (expiresOn ?? .distantPast) < now && (extendedExpiresOn ?? .distantPast) < now
  }

  /// The entry under another host of its environment.
  func under(_ host: String) -> CredentialEntry {
    var entry = self
    entry.fields["environment"] = .string(host)
    return entry
  }
}

extension CredentialEntry {
  /// Whether this new access token takes the other's place: same account, client, tenant and kind, and a scope
  /// of a resource in common.
  ///
  /// The sign-in's own scopes do not count: nearly every token carries `openid` and `profile`, and two
  /// resources' tokens must not evict each other for that. Nor do scopes of one name that two resources have, where
  /// `.default` tells the resources. A token that was asked for with claims takes the place
  /// of the one without, too: that is the one that the resource refused.
  func replaces(_ other: CredentialEntry) -> Bool {
    guard other.kind.isAccessToken,
      other.partitionIdentity == partitionIdentity
        || requestedClaims != nil && other.partitionIdentity == withoutClaims.partitionIdentity
    else { return false }
    if !requestedDefaults.isEmpty && !other.requestedDefaults.isEmpty {
      return requestedDefaults.intersects(other.requestedDefaults)
    }
    let scopes = self.answeredScopes.resourceScopes
    let others = other.answeredScopes.resourceScopes
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
