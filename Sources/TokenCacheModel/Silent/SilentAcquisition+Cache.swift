// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import UnifiedCache

/// Reading from and writing to the cache in a silent call.
extension SilentAcquisition {
  /// Returns the document of the account and client; `nil` when there is none.
  ///
  /// - Throws: `interactionRequired` when this app has signed out of the account.
  func readDocument() async throws -> CacheDocument? { try await readRecord()?.document() }

  /// Returns the record of the account and client, as ``readDocument()`` does its document.
  func readRecord() async throws -> Record? {
    let record = try await cache.backend.record(for: key)
    if let document = try record?.document(), document.isSignedOut(for: cache.app) {
      throw Self.interaction("This app is signed out of the account.\(signOutNotice(document))")
    }
    return record
  }

  /// Returns which other app removed the account's tokens and when, as a sentence; otherwise an empty text.
  func signOutNotice(_ document: CacheDocument) -> String {
    document.hasTokens ? "" : document.metadata.removalNotice(for: cache.app)
  }

  /// Returns the best access token of the document for this call.
  func cachedToken(in document: CacheDocument) -> AccessTokenSelector.Found? {
    choice(from: document).best(in: document)
  }

  /// Returns how many access tokens of the account this call can't use and why, such as "2 expired, 1 other scopes";
  /// `nil` if there is none.
  func unusableTokens(in document: CacheDocument?) -> String? {
    let counts = document.map { choice(from: $0).unusable(in: $0) } ?? []
    return counts.isEmpty ? nil : counts.map { "\($0.count) \($0.reason.rawValue)" }.joined(separator: ", ")
  }

  /// Returns whether a token of the document fits this call in everything but its age.
  func hasOldToken(in document: CacheDocument) -> Bool { choice(from: document).isFitting(in: document) }

  private func choice(from document: CacheDocument) -> AccessTokenSelector {
    AccessTokenSelector(
      query: query, realms: realms(in: document), now: cache.clock.now(),
      expiryBuffer: cache.options.expiryBuffer)
  }

  private var query: CredentialQuery {
    let isBearer = parameters.scheme.tokenType == nil
    var query = CredentialQuery(isBearer ? [.accessToken] : [.accessToken, .accessTokenWithAuthScheme])
    query.homeAccountID = account.identifier
    query.environments = aliases.hosts(of: account.storageEnvironment)
    query.owner = .client(cache.clientID)
    query.target = .subset(parameters.scopes.searched)
    query.tokenType = ValueMatch(parameters.scheme.tokenType)
    query.keyID = ValueMatch(parameters.scheme.keyID)
    query.requestedClaims = ValueMatch(parameters.claims)
    query.applicationIdentifier = ValueMatch(cache.options.applicationIdentifier)
    query.partition = ValueMatch(cache.options.partition)
    query.userAssertionHash = .absent
    query.extendedCacheKey = .absent
    query.redirectURI = .absent
    query.enrollmentID = .absent
    return query
  }

  /// Returns the tenants whose tokens fit, the preferred one first; `nil` for any tenant.
  ///
  /// It is the requested tenant, or else the authority's own, or else the account's home tenant. MSAL Python stores the
  /// tokens of the home tenant under the path of the authority in the request, such as `common`. The tokens of a B2C
  /// account are all of one tenant, which the authority may name differently. The same is true for the tokens of an
  /// issuer.
  private func realms(in document: CacheDocument) -> [String]? {
    if let tenant = parameters.tenant { return Self.realms(tenant, in: document) }
    switch authority.kind {
    case .aad:
      guard authority.isTenantless else { return Self.realms(authority.realm, in: document) }
      let home = account.identifier.split(separator: ".").last.map(String.init)
      return (home.map { [$0] } ?? []) + Authority.tenantless
    case .b2c, .openID: return nil
    case .adfs: return [authority.realm]
    }
  }

  /// Returns a tenant by its name and, for a domain name whose tenant ID is known, first by that ID.
  static func realms(_ tenant: String, in document: CacheDocument) -> [String] {
    guard let id = document.metadata[tenantDomain: tenant] else { return [tenant] }
    return [id, tenant]
  }

  /// Stores a result in the token result cache of its record, so that the next call need not choose again.
  ///
  /// A result is not stored when its call changed the record, when it depends on other records, or when the back end
  /// does not keep the record in memory.
  func remember(_ result: TokenResult, for token: CredentialEntry, of record: Record) {
    guard cache.backend.cachedRecord(for: key)?.derived === record.derived,
      let document = try? record.document(), result.saveError == nil, aliases == .shipped,
      cache.app == nil || document.metadata[cache.app] == .signedIn,
      let resultKey = TokenResultCacheKey(parameters, of: cache),
      let times = choice(from: document).freshTimes(of: token)
    else { return }
    record.tokenResults.remember(result, for: resultKey, while: times)
  }

  /// Returns a token from the cache.
  ///
  /// The first time, it records the app as using the account.
  func deliver(_ found: AccessTokenSelector.Found, from document: CacheDocument) async throws -> TokenResult {
    func result(saveError: SecretStoreError? = nil) -> TokenResult {
      TokenResult(
        found.token, idToken: document.idToken(beside: found.token), account: account, source: .cache,
        isExtendedLifetime: found.validity == .extended, saveError: saveError)
    }
    if cache.app == nil || document.metadata[cache.app] == .signedIn { return result() }
    do {
      let isSignedOut = try await cache.backend.update(key) { [app = cache.app] stored in
        guard stored?.hasSignIn == true, stored?.metadata[app] != .signedOut else { return true }
        stored?.metadata[app] = .signedIn
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
  /// Returns the ID token of an access token's account, client and tenant.
  func idToken(beside token: CredentialEntry) -> String? {
    var query = CredentialQuery([.idToken, .v1IDToken])
    query.homeAccountID = token.homeAccountID
    query.owner = .client(token.clientID)
    query.userAssertionHash = .absent
    let idTokens = query.matches(in: credentials)
    return idTokens.first { token.realm == nil || $0.comparedRealm == token.comparedRealm }?.secret
  }
}
