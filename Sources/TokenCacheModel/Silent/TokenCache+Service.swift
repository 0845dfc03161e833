// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

/// The tokens of a service: its own (client credentials), and those that it has on behalf of users.
///
/// They sign nobody in, and no silent call of a user returns them. A service has no refresh token for them: it requests
/// a new token with its own credential, and with the user's assertion if there is one.
extension TokenCache {
  /// Saves the response to a request that the client made for itself (RFC 6749 section 4.4).
  ///
  /// The token is kept in the record of the client, which all apps of the client share, and is exported as the other
  /// MSALs keep it: without an account.
  ///
  /// - Parameters:
  ///   - response: The token response.
  ///   - requested: The requested scopes, which count as granted if the response names none.
  ///   - authority: The authority that issued the response; the cache's own when `nil`.
  /// - Returns: The token.
  /// - Throws: `serverError` for a response without an access token; `invalidArgument` for an Azure AD authority that
  ///   names no tenant; `corruptItem` when the stored record can't be read; and whatever the back end throws.
  @discardableResult
  public func saveAppToken(
    _ response: TokenResponse, scopes requested: Scopes, authority: Authority? = nil
  ) async throws -> CredentialEntry {
    let context = try await context(requested, authority)
    let token = try CredentialEntry(appTokenOf: response, context)
    try await backend.update(CachePartitioner.owner(of: token)) { [now = clock.now()] stored in
      var document = stored ?? CacheDocument()
      document.removeCredentials { $0.isAppToken && (token.replaces($0) || $0.isExpired(at: now)) }
      document.put(token)
      document.makeRoom(at: now)
      stored = document
    }
    return token
  }

  /// Returns the client's own token for some scopes, from the cache.
  ///
  /// A token whose `refreshOn` has passed is returned, too: request another one, and use this one if that fails.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must have.
  ///   - authority: The authority that issued the token; the cache's own when `nil`.
  /// - Returns: The token; `nil` when there is none or it has expired.
  /// - Throws: `invalidArgument` for an Azure AD authority that names no tenant; `corruptItem` when the stored record
  ///   can't be read, and whatever the back end throws.
  public func appToken(scopes: Scopes, authority: Authority? = nil) async throws -> CredentialEntry? {
    let context = try await context(scopes, authority)
    try CredentialEntry.requireTenant(ofAppToken: context.authority)
    let key = RecordKey.client(clientID, environment: context.environment)
    guard let document = try await backend.record(for: key)?.document() else { return nil }
    return best(of: [document], context, homeAccountID: "")
  }

  /// Saves the response to a request on behalf of a user (RFC 8693, or Azure AD's on-behalf-of flow).
  ///
  /// The token is kept apart from those of the user's other assertions, by the hash of the assertion. Only the access
  /// token is kept, as in MSAL.NET.
  ///
  /// - Parameters:
  ///   - response: The token response.
  ///   - requested: The requested scopes, which count as granted if the response names none.
  ///   - assertion: The user's token that the service has sent.
  ///   - authority: The authority that issued the response; the cache's own when `nil`.
  /// - Returns: The token.
  /// - Throws: `serverError` for a response without an access token; `missingClientInfo` or `invalidResponse` when
  ///   the response does not name its account; `corruptItem` when the stored record can't be read; and whatever the
  ///   back end throws.
  @discardableResult
  public func save(
    _ response: TokenResponse, scopes requested: Scopes, onBehalfOf assertion: String,
    authority: Authority? = nil
  ) async throws -> CredentialEntry {
    var context = try await context(requested, authority)
    context.userAssertionHash = CredentialEntry.hash(ofAssertion: assertion)
    var entries = try TokenEntries(response, context)
    entries.keepAccessTokenOnly()
    guard let token = entries.accessToken else {
      throw SecretStoreError(.serverError, "The token endpoint's response has no access token.")
    }
    try await backend.update(CachePartitioner.owner(of: token)) { [entries] stored in
      var document = stored ?? CacheDocument()
      entries.apply(to: &document)
      stored = document
    }
    return token
  }

  /// Returns the token that the service has for a user's assertion and some scopes, from the cache.
  ///
  /// A token whose `refreshOn` has passed is returned, too. The call reads all records of the client.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must have.
  ///   - assertion: The user's token that the service has sent.
  ///   - authority: The authority that issued the token; the cache's own when `nil`.
  /// - Returns: The token; `nil` when there is none or it has expired.
  /// - Throws: Whatever the back end throws. Records that can't be read are left out.
  public func token(
    scopes: Scopes, onBehalfOf assertion: String, authority: Authority? = nil
  ) async throws -> CredentialEntry? {
    var context = try await context(scopes, authority)
    context.userAssertionHash = CredentialEntry.hash(ofAssertion: assertion)
    let records = try await backend.records(matching: .credentials(ofClient: clientID))
    let documents = records.filter { $0.key.environment == context.environment }.compactMap(readable)
    return best(of: documents, context, homeAccountID: nil)
  }

  private func best(
    of documents: [CacheDocument], _ context: ResponseContext, homeAccountID: String?
  ) -> CredentialEntry? {
    var query = CredentialQuery([.accessToken])
    query.homeAccountID = homeAccountID
    query.owner = .client(clientID)
    query.target = .subset(context.scopes.searched)
    query.requestedClaims = .absent
    query.keyID = .absent
    query.applicationIdentifier = ValueMatch(options.applicationIdentifier)
    query.partition = ValueMatch(options.partition)
    query.userAssertionHash = ValueMatch(context.userAssertionHash)
    query.extendedCacheKey = .absent
    let authority = context.authority
    let hasTenant = authority.kind == .aad && !authority.isTenantless
    let found = documents.compactMap { document in
      AccessTokenSelector(
        query: query,
        realms: hasTenant ? SilentAcquisition.realms(authority.realm, in: document) : nil, now: clock.now(),
        expiryBuffer: options.expiryBuffer
      ).best(in: document)
    }
    return found.filter { $0.validity != .extended }.min { $0.validity < $1.validity }?.token
  }
}
