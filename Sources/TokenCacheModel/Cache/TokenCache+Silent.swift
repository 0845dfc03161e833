// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension TokenCache {
  /// Gets an access token without any interaction: from the cache, or by one refresh.
  ///
  /// The order is MSAL's: an unexpired access token of the account, client and tenant for the scopes; then the
  /// client's refresh token; then its family's. However many apps ask at once, one of them redeems the refresh
  /// token, and the others wait and use what it brought. Nothing here ever prompts.
  ///
  /// Once a refresh token has been sent, its exchange is completed and saved even if the task is cancelled: a
  /// refresh token that can be used once would be lost otherwise.
  ///
  /// The first time an app is given a token it is recorded as using the account, which costs one write.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must have; at least one.
  ///   - account: Whose token; from ``accounts()`` or its siblings.
  ///   - authority: The authority, where it is not the cache's own. `common`, `organizations` and `consumers`
  ///     stand for the account's home tenant.
  ///   - tenant: The tenant that the token must be of, where that is not the authority's.
  ///   - forceRefresh: Whether to pass over the access tokens in the cache.
  /// - Returns: The token. Its `saveError` tells when a refreshed token could not be stored.
  /// - Throws: `interactionRequired` when no token can be had silently: none is stored, this app signed out,
  ///   or the server asks for the user (its ``OAuthError`` beneath). `declinedScopes` when the server granted
  ///   less than was asked for, and what it granted is in the cache. `accountMismatch` when the answer is for
  ///   somebody else; it is dropped. `networkError` and `serverError` when the endpoint can't be reached or
  ///   fails. `invalidArgument` without a scope. And whatever the back end throws: a locked group is
  ///   `groupLocked`, never `interactionRequired`.
  public func acquireTokenSilent(
    scopes: Scopes, account: Account, authority: Authority? = nil, tenant: String? = nil,
    forceRefresh: Bool = false
  ) async throws -> TokenResult {
    if scopes.isEmpty { throw SecretStoreError(.invalidArgument, "No scope was asked for.") }
    let acquisition = SilentAcquisition(
      cache: self, account: account, scopes: scopes, authority: authority ?? self.authority, tenant: tenant)
    return try await acquisition.run(forceRefresh: forceRefresh)
  }
}
