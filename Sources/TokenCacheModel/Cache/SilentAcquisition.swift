// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// One silent call, from the cache to the end of the refresh.
struct SilentAcquisition: Sendable {
  let cache: TokenCache
  let account: Account
  let scopes: Scopes
  let authority: Authority
  /// The tenant asked for; `nil` for the authority's.
  let tenant: String?

  var key: RecordKey { cache.key(account) }

  func run(forceRefresh: Bool) async throws -> TokenResult {
    guard authority.environment == account.environment else {
      throw Self.interaction("The account belongs to another cloud or provider than the authority.")
    }
    let document = try await readDocument()
    if !forceRefresh, let document, let token = cachedToken(in: document) {
      return try await deliver(token, from: document)
    }
    guard let endpoint = cache.endpoint else {
      throw Self.interaction("No token in the cache fits, and there is no token endpoint to refresh it at.")
    }
    guard let first = try await refreshToken(in: document) else {
      throw Self.interaction("The cache holds no refresh token for the account and the client.")
    }
    let seen = document.flatMap { cachedToken(in: $0)?.secret }
    return try await cache.backend.withRefreshLease(on: first.owner) {
      try await refreshOrReuse(at: endpoint, forceRefresh: forceRefresh, seen: seen)
    }
  }

  // MARK: The cache

  /// What is stored for the account and client; an error when this app signed out of it.
  private func readDocument() async throws -> CacheDocument? {
    let document = try await cache.backend.record(for: key)?.document()
    if document?.isSignedOut(for: cache.app) == true {
      throw Self.interaction("This app is signed out of the account.")
    }
    return document
  }

  private func cachedToken(in document: CacheDocument) -> CredentialEntry? {
    let match = AccessTokenMatch(
      environment: account.environment, realms: realms, scopes: scopes, now: cache.clock.now(),
      expiryBuffer: cache.expiryBuffer)
    return match.best(in: document)
  }

  /// The tenants whose tokens fit, the preferred one first, or `nil` for any: the one asked for, else the
  /// authority's own, else the account's home.
  ///
  /// MSAL Python keeps the tokens of the home tenant under the path of the authority that it asked, such as
  /// `common`. A B2C account's tokens are all of one tenant, which the authority may name otherwise.
  private var realms: [String]? {
    if let tenant { return [tenant] }
    switch authority.kind {
    case .aad:
      guard authority.isTenantless else { return [authority.realm] }
      let home = account.identifier.split(separator: ".").last.map(String.init)
      return (home.map { [$0] } ?? []) + Authority.tenantless
    case .b2c: return nil
    case .adfs: return [authority.realm]
    case .openID: return authority.realm.isEmpty ? nil : [authority.realm]
    }
  }

  /// Hands out a token of the cache, and records the app as using the account the first time.
  private func deliver(_ token: CredentialEntry, from document: CacheDocument) async throws -> TokenResult {
    if cache.app == nil || document.sharing[cache.app] == .signedIn {
      return TokenResult(token, account: account, source: .cache)
    }
    do {
      let isSignedOut = try await cache.backend.update(key) { [app = cache.app] stored in
        guard stored?.hasTokens == true, stored?.sharing[app] != .signedOut else { return true }
        stored?.sharing[app] = .signedIn
        return false
      }
      if isSignedOut { throw Self.interaction("The account was signed out meanwhile.") }
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      return TokenResult(token, account: account, source: .cache, saveError: error)
    }
    return TokenResult(token, account: account, source: .cache)
  }

  // MARK: The refresh

  struct FoundRefreshToken: Sendable, CustomReflectable {
    let secret: String
    /// The record that holds it: refreshes of it take turns.
    let owner: RecordKey

    var customMirror: Mirror { Mirror(self, children: ["owner": owner]) }
  }

  /// The client's refresh token, then its family's.
  private func refreshToken(in document: CacheDocument?) async throws -> FoundRefreshToken? {
    if let own = document?.credentials.first(where: fits) {
      return FoundRefreshToken(secret: own.secret, owner: key)
    }
    guard let family = try await familyOfClient(document) else { return nil }
    let owner = RecordKey.family(
      homeAccountID: account.identifier, environment: account.environment, familyID: family)
    guard let shared = try await cache.backend.record(for: owner)?.document() else { return nil }
    return shared.credentials.first(where: fits).map { FoundRefreshToken(secret: $0.secret, owner: owner) }
  }

  /// Outside Azure AD, issuers of one host differ by their path, and one's token is never sent to another.
  private func fits(_ token: CredentialEntry) -> Bool {
    guard token.kind == .refreshToken || token.kind == .familyRefreshToken else { return false }
    guard authority.kind == .openID, let realm = token.realm else { return true }
    return realm == authority.realm
  }

  /// The client's family: as its metadata says, and family `1` for a client that nothing is known of in an
  /// environment that has families.
  private func familyOfClient(_ document: CacheDocument?) async throws -> String? {
    guard authority.kind == .aad else { return nil }
    let own = document?.appMetadata.first { $0.clientID.lowercased() == cache.clientID.lowercased() }
    guard let own else { return "1" }
    return own.familyID.isEmpty ? nil : own.familyID
  }

  /// Under the lease: takes what another app brought meanwhile, or redeems the refresh token.
  private func refreshOrReuse(
    at endpoint: any TokenEndpoint, forceRefresh: Bool, seen: String?
  ) async throws -> TokenResult {
    let document = try await readDocument()
    if let document, let token = cachedToken(in: document), !forceRefresh || token.secret != seen {
      return try await deliver(token, from: document)
    }
    guard let found = try await refreshToken(in: document) else {
      throw Self.interaction("The account was signed out meanwhile.")
    }
    let request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: scopes, refreshToken: found.secret)
    let exchange = Task {
      let response = try await redeem(request, at: endpoint)
      return try await save(response, redeemed: found, seen: document)
    }
    return try await exchange.value
  }

  private func redeem(
    _ request: TokenRequest, at endpoint: any TokenEndpoint
  ) async throws -> TokenResponse {
    let reply: TokenEndpointReply
    do {
      reply = try await endpoint.send(request)
    } catch let error as SecretStoreError {
      throw error
    } catch {
      throw SecretStoreError(.networkError, "The token endpoint could not be reached.", underlying: error)
    }
    guard reply.status == 200 else {
      let error = OAuthError(status: reply.status, body: reply.body)
      if error.asksForInteraction {
        throw SecretStoreError(
          .interactionRequired, "The server no longer takes the refresh token.", underlying: error)
      }
      throw SecretStoreError(.serverError, "The token endpoint refused the refresh.", underlying: error)
    }
    do {
      return try TokenResponse(parsing: reply.body)
    } catch {
      throw SecretStoreError(
        .serverError, "The token endpoint's answer is not a token response.", underlying: error)
    }
  }

  static func interaction(_ detail: String) -> SecretStoreError {
    SecretStoreError(.interactionRequired, detail)
  }
}
