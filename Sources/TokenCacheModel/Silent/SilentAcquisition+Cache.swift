// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What a silent call does with the cache.
extension SilentAcquisition {
  /// What is stored for the account and client; an error when this app signed out of it.
  func readDocument() async throws -> CacheDocument? { try await readRecord()?.document() }

  /// The record of it.
  func readRecord() async throws -> Record? {
    let record = try await cache.backend.record(for: key)
    if try record?.document().isSignedOut(for: cache.app) == true {
      throw Self.interaction("This app is signed out of the account.")
    }
    return record
  }

  /// The best access token of the cache for what is asked.
  func cachedToken(in document: CacheDocument) -> AccessTokenChoice.Found? {
    choice(from: document).best(in: document)
  }

  private func choice(from document: CacheDocument) -> AccessTokenChoice {
    AccessTokenChoice(
      query: query, realms: realms(in: document), now: cache.clock.now(),
      expiryBuffer: cache.options.expiryBuffer)
  }

  private var query: CredentialQuery {
    let isBearer = parameters.scheme.tokenType == nil
    var query = CredentialQuery(isBearer ? [.accessToken] : [.accessToken, .accessTokenWithAuthScheme])
    query.homeAccountID = account.identifier
    query.environments = aliases.hosts(of: account.environment)
    query.owner = .client(cache.clientID)
    query.target = .subset(wantedScopes)
    query.tokenType = FieldMatching(parameters.scheme.tokenType)
    query.keyID = FieldMatching(parameters.scheme.keyID)
    query.requestedClaims = FieldMatching(parameters.claims)
    query.applicationIdentifier = FieldMatching(cache.options.applicationIdentifier)
    query.extendedCacheKey = .absent
    query.redirectURI = .absent
    query.enrollmentID = .absent
    return query
  }

  /// The sign-in's own scopes do not tell tokens apart, unless nothing else was asked for.
  private var wantedScopes: Scopes {
    let resource = parameters.scopes.resourceScopes
    return resource.isEmpty ? parameters.scopes : resource
  }

  /// The tenants whose tokens fit, the preferred one first, or `nil` for any: the one asked for, else the
  /// authority's own, else the account's home.
  ///
  /// MSAL Python keeps the tokens of the home tenant under the path of the authority that it asked, such as
  /// `common`. A B2C account's tokens are all of one tenant, which the authority may name otherwise. The person at
  /// the keyboard, who names no issuer, is shown any issuer's of the host.
  private func realms(in document: CacheDocument) -> [String]? {
    if let tenant = parameters.tenant { return Self.realms(tenant, in: document) }
    switch asked.kind {
    case .aad:
      guard asked.isTenantless else { return Self.realms(asked.realm, in: document) }
      let home = account.identifier.split(separator: ".").last.map(String.init)
      return (home.map { [$0] } ?? []) + Authority.tenantless
    case .b2c: return nil
    case .adfs: return [asked.realm]
    case .openID: return asked.realm.isEmpty && cache.app == nil ? nil : [asked.realm]
    }
  }

  /// A tenant by its id, where it is named by a domain whose id is known, and by its name.
  private static func realms(_ tenant: String, in document: CacheDocument) -> [String] {
    guard let id = document.sharing[tenantDomain: tenant] else { return [tenant] }
    return [id, tenant]
  }

  /// Keeps an answer with the record that it was chosen from, so that the next call need not choose again.
  ///
  /// An answer that changed the record, or that other records had a part in, is not kept; nor is one for a record that
  /// nobody keeps.
  func remember(_ result: TokenResult, for token: CredentialEntry, of record: Record) {
    guard cache.backend.keptRecord(for: key)?.answers === record.answers,
      let document = try? record.document(), result.saveError == nil, aliases == .shipped,
      cache.app == nil || document.sharing[cache.app] == .signedIn,
      let question = SilentQuestion(parameters, of: cache),
      let times = choice(from: document).freshTimes(of: token)
    else { return }
    record.answers.remember(result, to: question, while: times)
  }

  /// Hands out a token of the cache, and records the app as using the account the first time.
  func deliver(_ found: AccessTokenChoice.Found, from document: CacheDocument) async throws -> TokenResult {
    func result(saveError: SecretStoreError? = nil) -> TokenResult {
      TokenResult(
        found.token, idToken: document.idToken(beside: found.token), account: account, source: .cache,
        isExtendedLifetime: found.validity == .extended, saveError: saveError)
    }
    if cache.app == nil || document.sharing[cache.app] == .signedIn { return result() }
    do {
      let isSignedOut = try await cache.backend.update(key) { [app = cache.app] stored in
        guard stored?.hasTokens == true, stored?.sharing[app] != .signedOut else { return true }
        stored?.sharing[app] = .signedIn
        return false
      }
      if isSignedOut { throw Self.interaction("The account was signed out meanwhile.") }
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      return result(saveError: error)
    }
    return result()
  }
}

extension CacheDocument {
  /// The id token of an access token's account, client and tenant.
  func idToken(beside token: CredentialEntry) -> String? {
    var query = CredentialQuery([.idToken, .v1IDToken])
    query.homeAccountID = token.homeAccountID
    query.realm = token.realm
    query.owner = .client(token.clientID)
    return query.matches(in: credentials).first?.secret
  }
}
