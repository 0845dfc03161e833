// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Taking up a sign-in of ADAL's: its refresh token is redeemed, and what comes is kept in the unified format.
extension SilentAcquisition {
  /// A token for an account of ADAL's that has no identifier yet.
  ///
  /// When somebody has taken it up meanwhile, the call goes on with the account as it is now; outside of the lease, since
  /// MSAL's leases are taken before ADAL's.
  func takeUp() async throws -> TokenResult {
    if let known = try await takenUp() { return try await known.run() }
    var error = await nothingToRedeem(nil)
    guard let endpoint = cache.endpoint, try await !isSignedOutByName() else { throw error }
    let exchange = RefreshExchange(acquisition: self, endpoint: endpoint)
    var tried: Set<String> = []
    while let next = try await adalRefreshToken(nil, besides: tried) {
      tried.insert(next.secret)
      do {
        let result = try await cache.backend.withRefreshLease(on: next.owner) {
          () async throws -> TokenResult? in
          let isTakenUp = try await takenUp() != nil
          guard !isTakenUp, let token = try await adalRefreshToken(nil, in: next.owner) else { return nil }
          return try await exchange.run(token, seen: nil)
        }
        if let result { return result }
        if let known = try await takenUp() { return try await known.run() }
      } catch let refusal as SecretStoreError
        where refusal.code == .interactionRequired && refusal.underlying is OAuthError
      {
        error = refusal
      }
    }
    throw error
  }

  /// The same call for the account that ADAL's has become.
  private func takenUp() async throws -> SilentAcquisition? {
    let named = try await cache.unifiedAccounts(namedAs: account)
    guard let account = try TokenCache.single(named) else { return nil }
    var parameters = parameters
    parameters.account = account
    return SilentAcquisition(cache: cache, parameters: parameters, asked: asked, aliases: aliases)
  }

  /// Redeems ADAL's refresh tokens under their leases, for an account that has no other.
  ///
  /// - Parameters:
  ///   - tried: The refresh tokens that the server has refused.
  ///   - error: What the call ends in when ADAL has none either.
  func redeemADALs(
    _ exchange: RefreshExchange, after refusal: RefreshExchange.Refusal?, seen: String?, tried: Set<String>,
    or error: SecretStoreError
  ) async throws -> TokenResult {
    var (tried, error) = (tried, error)
    while try await !isSignedOut(),
      let next = try await adalRefreshToken(try await readDocument(), besides: tried)
    {
      tried.insert(next.secret)
      do {
        let result = try await cache.backend.withRefreshLease(on: next.owner) {
          () async throws -> TokenResult? in
          let document = try await readDocument()
          if let document, let found = cachedToken(in: document), found.validity == .fresh,
            !isBypassing || found.token.secret != seen
          {
            return try await deliver(found, from: document)
          }
          guard let token = try await adalRefreshToken(document, in: next.owner) else { return nil }
          return try await exchange.run(token, after: refusal, seen: document)
        }
        if let result { return result }
      } catch let refusal as SecretStoreError
        where refusal.code == .interactionRequired && refusal.underlying is OAuthError
      {
        error = refusal
      }
    }
    throw error
  }

  private func isSignedOut() async throws -> Bool {
    try await cache.backend.record(for: key)?.document().isSignedOut(for: cache.app) == true
  }

  /// Whether the app is signed out of an account of the name in the unified format.
  private func isSignedOutByName() async throws -> Bool {
    let records = try await cache.backend.records(matching: .credentials(ofClient: cache.clientID))
    return records.contains { record in
      guard let document = try? record.document(), document.isSignedOut(for: cache.app) else { return false }
      return document.isAbout(account, record.key)
    }
  }

  /// Whether an app that has not used the account yet signed out of it in ADAL's format.
  func hasLeftADAL(_ document: CacheDocument?) async throws -> Bool {
    guard cache.app != nil, cache.readsADAL(at: asked), document?.sharing[cache.app] != .signedIn else {
      return false
    }
    return ADALSignIns(items: try await adalItems(document), app: cache.app).hasLeft(
      account, try await cache.aliases(for: asked))
  }

  private func adalItems(_ document: CacheDocument?) async throws -> [ADALStore.Stored] {
    let family = try await familyOfClient(document)
    return try await ADALStore(backend: cache.backend).items(
      ofClient: cache.clientID, families: Set([family].compactMap(\.self)))
  }

  /// ADAL's refresh token for the account: the client's, else its family's.
  ///
  /// - Parameters:
  ///   - owner: The item that it must be of; `nil` for any.
  ///   - tried: Those that it must not be.
  func adalRefreshToken(
    _ document: CacheDocument?, in owner: RecordKey? = nil, besides tried: Set<String> = []
  ) async throws -> RefreshTokenInUse? {
    guard cache.readsADAL(at: asked) else { return nil }
    var selection = ADALSelection(
      try await adalItems(document), for: cache.app, at: asked, try await cache.aliases(for: asked))
    selection.homeTenant = account.homeTenant
    let found = selection.refreshTokens { ADALUser($0)?.isSame(as: account) == true }
    let next = found.first { item in
      (owner == nil || owner == item.key) && !tried.contains(item.token.refreshToken ?? "")
    }
    return next.map { item in
      RefreshTokenInUse(
        secret: item.token.refreshToken ?? "", owner: item.key, epoch: item.sharing.epoch,
        revision: item.sharing.revision)
    }
  }
}

extension TokenCache {
  /// The same cache without what is not in the unified format: ADAL's items and external accounts.
  var withUnifiedFormatOnly: TokenCache {
    var cache = self
    cache.options.sharesWithADAL = false
    cache.options.externalAccounts = []
    return cache
  }

  /// The unified cache's accounts that an account of ADAL's may have become: of its name, in its cloud.
  func unifiedAccounts(namedAs account: Account) async throws -> [Account] {
    let aliases = try await aliases(of: account)
    return try await withUnifiedFormatOnly.accounts().filter { known in
      let isSamePerson =
        known.username.lowercased() == account.username.lowercased()
        || known.tenantProfiles.contains { profile in
          !profile.identifier.isEmpty
            && account.tenantProfiles.contains {
              $0.identifier.lowercased() == profile.identifier.lowercased()
            }
        }
      return isSamePerson && aliases.areSame(known.environment, account.environment)
    }
  }

  /// Whether ADAL's items are looked at: it knows Azure AD and AD FS only.
  func readsADAL(at authority: Authority) -> Bool {
    options.sharesWithADAL && (authority.kind == .aad || authority.kind == .adfs)
  }
}
