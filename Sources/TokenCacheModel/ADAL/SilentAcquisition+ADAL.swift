// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Taking up a sign-in of ADAL's: its refresh token is redeemed, and what comes is kept in the unified format.
extension SilentAcquisition {
  /// A token for an account of ADAL's that has no identifier yet.
  ///
  /// When somebody has taken it up meanwhile, the call goes on with the account as it is now.
  func takeUp() async throws -> TokenResult {
    if let known = try await takenUp() { return try await known.run() }
    guard let endpoint = cache.endpoint, let first = try await adalRefreshToken() else {
      throw await nothingToRedeem(nil)
    }
    return try await cache.backend.withRefreshLease(on: first.owner) {
      if let known = try await takenUp() { return try await known.run() }
      guard let token = try await adalRefreshToken() else { throw await nothingToRedeem(nil) }
      return try await RefreshExchange(acquisition: self, endpoint: endpoint).run(token, seen: nil)
    }
  }

  /// The same call for the account that ADAL's has become.
  private func takenUp() async throws -> SilentAcquisition? {
    let unified = cache.withUnifiedFormatOnly
    guard let account = try await unified.account(username: account.username) else { return nil }
    var parameters = parameters
    parameters.account = account
    return SilentAcquisition(cache: cache, parameters: parameters, asked: asked, aliases: aliases)
  }

  /// Redeems ADAL's refresh token under its lease, for an account that has no other.
  ///
  /// - Parameter error: What the call ends in when ADAL has none either.
  func redeemADALs(
    _ exchange: RefreshExchange, after refusal: RefreshExchange.Refusal?, seen: String?,
    or error: SecretStoreError
  ) async throws -> TokenResult {
    guard try await !isSignedOut(), let first = try await adalRefreshToken() else { throw error }
    return try await cache.backend.withRefreshLease(on: first.owner) {
      let document = try await readDocument()
      if let document, let found = cachedToken(in: document), found.validity == .fresh,
        !isBypassing || found.token.secret != seen
      {
        return try await deliver(found, from: document)
      }
      guard let token = try await adalRefreshToken() else { throw error }
      return try await exchange.run(token, after: refusal, seen: document)
    }
  }

  private func isSignedOut() async throws -> Bool {
    try await cache.backend.record(for: key)?.document().isSignedOut(for: cache.app) == true
  }

  /// ADAL's refresh token for the account: the client's, else its family's.
  func adalRefreshToken() async throws -> RefreshTokenInUse? {
    guard cache.readsADAL(at: asked) else { return nil }
    let store = ADALStore(backend: cache.backend)
    let items = try await store.items(ofClient: cache.clientID, family: "1")
    var selection = ADALSelection(items, for: cache.app, at: asked)
    selection.homeTenant = account.homeTenant
    let found = selection.refreshTokens { ADALUser($0)?.isSame(as: account) == true }
    return found.first.map { item in
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

  /// Whether ADAL's items are looked at: it knows Azure AD and AD FS only.
  func readsADAL(at authority: Authority) -> Bool {
    options.sharesWithADAL && (authority.kind == .aad || authority.kind == .adfs)
  }
}
