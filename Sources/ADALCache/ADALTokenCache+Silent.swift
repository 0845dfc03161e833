// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel
public import UnifiedCache

extension ADALTokenCache {
  /// Gets an access token without user interaction, from the cache or by a refresh.
  ///
  /// The order is ADAL's: an unexpired access token for the authority, resource, client and user; the refresh token
  /// for that resource, which AD FS issues; the client's refresh token for all resources; the family's. With
  /// ``ADALGeneration/bothFormats``, MSAL's refresh tokens come last. A refresh token is looked for under the
  /// authority's tenant, then under `common`; `consumers` has none. If the server refuses one refresh token, the
  /// next one is tried.
  ///
  /// If several apps ask at the same time, one redeems the refresh token. The others wait and use its result. The
  /// response is saved even if the task is cancelled.
  ///
  /// - Parameters:
  ///   - resource: The resource that the token is for.
  ///   - userID: The user; `nil` for the only one.
  ///   - authority: The authority; `nil` for the cache's own.
  /// - Throws:
  ///   - `interactionRequired` when no token is available silently: none is stored, this app signed out, or the
  ///     server requires interaction (the error's underlying ``OAuthError``).
  ///   - `ambiguousAccount` when no user ID is given and there are several users.
  ///   - `accountMismatch` when the response is for another user; the response is discarded.
  ///   - `networkError`, `serverError` and `invalidArgument`.
  ///   - Errors of the back end. A locked group is `groupLocked`, never `interactionRequired`.
  public func acquireTokenSilent(
    resource: String, userID: String? = nil, authority: Authority? = nil
  ) async throws -> ADALResult {
    try await CallLog.run(
      "acquireTokenSilent of ADAL's", UUID(), to: options.logger,
      [
        "app": app.description, "client": clientID, "resource": resource,
        "authority": "\((authority ?? self.authority).url)",
      ], outcome: { _ in "done" }
    ) {
      try await token(resource: resource, userID: userID, authority: authority)
    }
  }

  private func token(resource: String, userID: String?, authority: Authority?) async throws -> ADALResult {
    try Self.check(resource: resource)
    if let userID, userID.allSatisfy(\.isWhitespace) {
      throw SecretStoreError(.invalidArgument, "The user's id is blank.")
    }
    let acquisition = ADALAcquisition(
      cache: self, resource: resource, userID: userID, authority: authority ?? self.authority)
    return try await acquisition.run()
  }
}
