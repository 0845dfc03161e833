// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

extension ADALTokenCache {
  /// Gets an access token without any interaction: from the cache, or by one refresh.
  ///
  /// The order is ADAL's: an unexpired access token for the authority, resource, client and user; then the refresh token
  /// for that resource, as AD FS gives it; then the client's refresh token for all resources; then the family's. From 2.7
  /// on MSAL's refresh tokens come last. A refresh token is looked for under the authority's tenant, then under
  /// `common`; `consumers` has none.
  ///
  /// However many apps ask at once, one of them redeems the refresh token, and the others wait and use what it brought.
  /// What comes is saved even if the task is cancelled.
  ///
  /// - Parameters:
  ///   - resource: What the token is for.
  ///   - userID: Whose token; `nil` for the only user there is.
  ///   - authority: The authority; the cache's own when `nil`.
  /// - Throws: `interactionRequired` when no token can be had silently: none is stored, this app signed out, or the server
  ///   asks for the user (its ``OAuthError`` beneath). `ambiguousAccount` without a user id when several users are
  ///   there. `accountMismatch` when the answer is for somebody else; it is dropped. `networkError`, `serverError`,
  ///   `invalidArgument`, and whatever the back end throws: a locked group is `groupLocked`, never
  ///   `interactionRequired`.
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
