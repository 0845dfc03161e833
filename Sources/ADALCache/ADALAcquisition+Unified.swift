// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// Tokens that ADAL gets with MSAL's refresh tokens.
extension ADALAcquisition {
  /// Redeems one of MSAL's refresh tokens and also stores the response in ADAL's format; returns `nil` when there
  /// is none.
  ///
  /// - Parameter refused: The refresh tokens that the server has just refused.
  func unifiedResult(of user: String?, besides refused: Set<String>) async throws -> ADALResult? {
    guard cache.generation == .bothFormats, cache.endpoint != nil else { return nil }
    let named = try await cache.unifiedAccounts(authority).filter { account in
      user?.isEmpty != false || Username(account.username).compared == Username(user).compared
    }
    guard let account = try Account.single(named), try await !isSignedOut(account) else { return nil }
    var wanted = ADALToken(authority: authority.adalURL, resource: resource, clientID: cache.clientID)
    wanted.userID = account.username
    // MSAL never takes this lease, so no call waits for one of MSAL's leases while holding it.
    return try await cache.backend.withRefreshLease(on: .legacy(wanted)) { () async throws -> ADALResult? in
      let selection = try await selection()
      if let found = cached(in: selection, of: account.username) { return try await deliver(found) }
      return try await redeem(of: account, besides: refused)
    }
  }

  private func redeem(of account: Account, besides refused: Set<String>) async throws -> ADALResult {
    var parameters = SilentParameters(scopes: ADALTokenCache.scopes(resource), account: account)
    parameters.resource = resource
    parameters.forceRefresh = true
    parameters.refused = refused
    let requested = parameters
    let environment = try await cache.environment(authority)
    let task = Task {
      let result = try await cache.unified(authority).acquireTokenSilent(requested)
      let known = ADALUser(userID: account.username, homeAccountID: account.identifier)
      if let response = result.response {
        return try await save(response, in: environment, known: known, redeemed: nil)
      }
      var token = ADALToken(authority: authority.adalURL, resource: resource, clientID: cache.clientID)
      token.accessToken = result.accessToken
      token.accessTokenType = result.tokenType
      token.expiresOn = result.expiresOn
      token.idToken = result.idToken
      let found = ADALResult(token, user: known, source: .refresh, saveError: result.saveError)
      guard let found else {
        throw SecretStoreError(.serverError, "The token endpoint's response has no access token.")
      }
      return found
    }
    return try await task.value
  }

  /// Whether this app signed out of the account in ADAL's own format.
  private func isSignedOut(_ account: Account) async throws -> Bool {
    let items = try await cache.store.itemsWithFamily(ofClient: cache.clientID)
    let aliases = try await cache.unified(authority).aliases(for: authority)
    return ADALSignIns(items: items, app: cache.app, aliases).isAppSignedOut(account)
  }
}
