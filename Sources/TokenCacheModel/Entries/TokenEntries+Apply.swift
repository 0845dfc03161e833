// SPDX-License-Identifier: MIT

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
    if let accessToken = accessToken?.under(host) {
      document.removeCredentials { accessToken.replaces($0) }
      document.put(accessToken)
    }
    if let idToken { document.put(idToken.under(host)) }
    if let refreshToken, refreshToken.familyID == nil {
      put(refreshToken, into: &document, redeemed: redeemed)
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
  func applyFamily(to document: inout CacheDocument, redeemed: String? = nil) {
    guard let refreshToken, refreshToken.familyID != nil else { return }
    put(refreshToken, into: &document, redeemed: redeemed)
  }

  private func put(_ token: CredentialEntry, into document: inout CacheDocument, redeemed: String?) {
    let stored = document.credentials.first { $0.identity == token.identity }
    guard redeemed == nil || stored == nil || stored?.secret == redeemed else { return }
    var token = token.under(document.hostInUse(for: environment))
    if stored?.fields["last_modification_time"] != nil {
      token.fields["last_modification_time"] = UnixTime.value(savedAt)
    }
    document.put(token)
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
