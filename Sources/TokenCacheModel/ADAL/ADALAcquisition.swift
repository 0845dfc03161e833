// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// One silent call of ADAL's: its own items first, then MSAL's refresh tokens.
struct ADALAcquisition: Sendable {
  let cache: ADALTokenCache
  let resource: String
  let userID: String?
  let authority: Authority

  func run() async throws -> ADALResult {
    let selection = try await selection()
    let user = try onlyUser(in: selection)
    if let found = cached(in: selection, of: user) { return try await deliver(found) }
    var refusal: SecretStoreError?
    if let endpoint = cache.endpoint {
      for item in selection.refreshTokens(for: resource, of: user) {
        do {
          if let result = try await redeem(item, of: user, at: endpoint) { return result }
        } catch let error as SecretStoreError
          where error.code == .interactionRequired && error.underlying is OAuthError
        {
          refusal = error
        }
      }
    }
    if let result = try await unifiedResult(of: user) { return result }
    throw refusal ?? SilentAcquisition.interaction("The cache holds no token for the resource and user.")
  }

  /// The items that are there now.
  private func selection() async throws -> ADALSelection {
    ADALSelection(
      try await cache.store.items(ofClient: cache.clientID, family: "1"), for: cache.app, at: authority)
  }

  /// Whose token: the user asked for, else the only one; `nil` when there is nobody.
  private func onlyUser(in selection: ADALSelection) throws(SecretStoreError) -> String? {
    if let userID { return userID }
    let users = selection.users
    guard users.count <= 1 else {
      throw SecretStoreError(.ambiguousAccount, "Several users are there; name one by the user's id.")
    }
    return users.first
  }

  private func cached(in selection: ADALSelection, of user: String?) -> ADALStore.Stored? {
    let limit = cache.options.clock.now().addingTimeInterval(cache.options.expiryBuffer)
    return selection.accessToken(
      resource, of: user, app: cache.options.applicationIdentifier, after: limit)
  }

  /// Hands out a token of the cache, and records the app as using the user's items the first time.
  private func deliver(_ found: ADALStore.Stored) async throws -> ADALResult {
    var saveError: SecretStoreError?
    if found.sharing[cache.app] == nil {
      do {
        let items = try await cache.store.items(ofClient: cache.clientID)
        let user = ADALTokenKey.user(found.token.userID)
        for item in items where ADALTokenKey.user(item.token.userID) == user && item.sharing[cache.app] == nil
        {
          try await cache.backend.update(item.key) { [app = cache.app] stored in
            if stored != nil && stored?.sharing[app] == nil { stored?.sharing[app] = .signedIn }
          }
        }
      } catch let error as SecretStoreError {
        saveError = error
      }
    }
    guard
      let result = ADALResult(
        found.token, user: ADALUser(found.token), source: .cache, saveError: saveError)
    else { throw SilentAcquisition.interaction("The cache holds no token for the resource and user.") }
    return result
  }

  // MARK: Its own refresh tokens

  /// Redeems a refresh token under its lease.
  ///
  /// - Returns: The token; `nil` when the refresh token is not there any more.
  private func redeem(
    _ item: ADALStore.Stored, of user: String?, at endpoint: any TokenEndpoint
  ) async throws -> ADALResult? {
    try await cache.backend.withRefreshLease(on: item.key) { () async throws -> ADALResult? in
      let selection = try await selection()
      if let found = cached(in: selection, of: user) { return try await deliver(found) }
      guard let now = selection.items.first(where: { $0.key == item.key }), now.token.refreshToken != nil
      else {
        return nil
      }
      let exchange = Task { try await self.exchange(now, at: endpoint) }
      return try await exchange.value
    }
  }

  private func exchange(_ item: ADALStore.Stored, at endpoint: any TokenEndpoint) async throws -> ADALResult {
    let secret = item.token.refreshToken ?? ""
    let request = TokenRequest(
      authority: authority, clientID: cache.clientID, scopes: [], refreshToken: secret, resource: resource)
    let reply = try await TokenSender(endpoint: endpoint, retryDelay: cache.options.retryDelay).send(request)
    guard reply.status == 200 else {
      let refusal = OAuthError(status: reply.status, body: reply.body)
      if refusal.code == "invalid_grant" && refusal.suberror != "consent_required" {
        try? await cache.store.reject(secret, in: item.key)
      }
      throw TokenSender.error(refusal)
    }
    return try await save(try TokenSender.response(reply), known: ADALUser(item.token), redeemed: item)
  }

  /// Saves what a refresh token brought, unless the app signed out meanwhile.
  ///
  /// - Parameter redeemed: The item of the refresh token; `nil` when it was one of MSAL's.
  private func save(
    _ response: TokenResponse, known: ADALUser?, redeemed: ADALStore.Stored?
  ) async throws -> ADALResult {
    let context = cache.context(authority, resource)
    let user = cache.user(response, known: known)
    if let known, ADALTokenKey.user(user?.userID) != ADALTokenKey.user(known.userID) {
      throw SecretStoreError(
        .accountMismatch, "The server answered for another user; the answer is dropped.")
    }
    let items = ADALItems(response, resource: resource, of: user, context)
    var saveError: SecretStoreError?
    do {
      if let redeemed {
        let stored = try await cache.backend.record(for: redeemed.key)?.document()
        guard let stored, stored.sharing.epoch == redeemed.sharing.epoch, stored.isUsable(by: cache.app)
        else {
          throw SilentAcquisition.interaction("The app was signed out during the refresh.")
        }
      }
      try await cache.store.save(items.all, for: cache.app)
      saveError = await cache.saveUnified(response, context, isSignIn: false)
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
    }
    guard
      let result = ADALResult(items.accessToken, user: user, source: .refresh, saveError: saveError)
    else { throw SecretStoreError(.serverError, "The token endpoint answered without an access token.") }
    return result
  }

  // MARK: MSAL's refresh tokens

  /// A token by one of MSAL's refresh tokens, kept in ADAL's format, too; `nil` when there is none.
  private func unifiedResult(of user: String?) async throws -> ADALResult? {
    guard cache.generation == .bothFormats, cache.endpoint != nil else { return nil }
    let unified = cache.unified(authority)
    let found =
      if let user, !user.isEmpty { try await unified.account(username: user) } else {
        try await unified.account()
      }
    guard let account = found else { return nil }
    if try await isSignedOut(account) { return nil }
    var parameters = SilentParameters(scopes: ADALTokenCache.scopes(resource), account: account)
    parameters.resource = resource
    parameters.forceRefresh = true
    let result = try await unified.acquireTokenSilent(parameters)
    let known = ADALUser(userID: account.username, homeAccountID: account.identifier)
    if let response = result.response { return try await save(response, known: known, redeemed: nil) }
    var token = ADALToken(authority: authority.adalURL, resource: resource, clientID: cache.clientID)
    token.accessToken = result.accessToken
    token.accessTokenType = result.tokenType
    token.expiresOn = result.expiresOn
    return ADALResult(token, user: known, source: .refresh, saveError: result.saveError)
  }

  /// Whether this app signed out of the account in ADAL's own format.
  private func isSignedOut(_ account: Account) async throws -> Bool {
    try await cache.store.items(ofClient: cache.clientID).contains { item in
      item.sharing[cache.app] == .signedOut && ADALUser(item.token)?.isSame(as: account) == true
    }
  }
}
