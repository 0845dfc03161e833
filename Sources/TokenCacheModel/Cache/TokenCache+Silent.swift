// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging

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
  /// A token whose `refresh_on` has passed is refreshed, and handed out all the same when the server can't be
  /// reached or fails. One that has expired is handed out within its extended lifetime while the server is down,
  /// where ``TokenCacheOptions/usesExtendedLifetime`` allows it. A server error is tried again once. A server that
  /// asks to be left alone is, by every app of the group, and a refused request is not sent again for two minutes.
  ///
  /// - Returns: The token. Its `saveError` tells when a refreshed token could not be stored.
  /// - Throws: `interactionRequired` when no token can be had silently: none is stored, this app signed out,
  ///   or the server asks for the user (its ``OAuthError`` beneath). `declinedScopes` when the server granted
  ///   less than was asked for, and what it granted is in the cache (``DeclinedScopes`` beneath): these two an app
  ///   must handle. `accountMismatch` when the answer is for somebody else; it is dropped. `networkError` and
  ///   `serverError` when the endpoint can't be reached or fails. `invalidArgument` without a scope or with a malformed one, for claims that
  ///   are no JSON object, and for a tenant that is no id or domain name, or is asked of another authority than Azure
  ///   AD. And whatever the back end throws: a locked
  ///   group is `groupLocked`, never `interactionRequired`.
  public func acquireTokenSilent(_ parameters: SilentParameters) async throws -> TokenResult {
    if let kept = try keptAnswer(parameters) { return kept }
    var parameters = parameters
    let correlationID = parameters.correlationID ?? UUID()
    parameters.correlationID = correlationID
    return try await CallLog.run(
      "acquireTokenSilent", correlationID, to: options.logger,
      [
        "app": "\(app?.description ?? "none")", "client": clientID, "account": "\(parameters.account)",
        "authority": "\((parameters.authority ?? authority).url)", "scopes": "\(parameters.scopes)",
        "forced": "\(parameters.forceRefresh)", "claims": "\(parameters.claims != nil)",
      ], outcome: { $0.source.rawValue }
    ) { [parameters] in
      try await token(parameters)
    }
  }

  /// The answer that was given before, where a back end keeps the record that it was chosen from, and nobody wants to
  /// read in a log how it came about.
  private func keptAnswer(_ parameters: SilentParameters) throws -> TokenResult? {
    let account = parameters.account
    guard options.logger.logLevel > .debug,
      let record = backend.keptRecord(
        for: .credentials(
          homeAccountID: account.identifier, environment: account.environment, clientID: clientID)),
      let question = SilentQuestion(parameters, of: self),
      let result = record.answers.answer(to: question, at: clock.now())
    else { return nil }
    try Task.checkCancellation()
    return result.answering(account)
  }

  private func token(_ parameters: SilentParameters) async throws -> TokenResult {
    try Self.check(parameters)
    let asked = parameters.authority ?? authority
    try Self.check(parameters.tenant, at: asked)
    let isSame = asked.environment == CloudEnvironment.canonical(parameters.account.environment)
    let acquisition = SilentAcquisition(
      cache: self, parameters: parameters, asked: asked,
      aliases: isSame ? .shipped : try await aliases(for: asked))
    return try await acquisition.run()
  }

  /// Gets an access token without any interaction; see ``acquireTokenSilent(_:)``.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must have; at least one.
  ///   - account: Whose token; from ``accounts()`` or its siblings.
  ///   - authority: The authority, where it is not the cache's own.
  ///   - tenant: The tenant that the token must be of, where that is not the authority's.
  ///   - forceRefresh: Whether to pass over the access tokens in the cache.
  public func acquireTokenSilent(
    scopes: Scopes, account: Account, authority: Authority? = nil, tenant: String? = nil,
    forceRefresh: Bool = false
  ) async throws -> TokenResult {
    var parameters = SilentParameters(scopes: scopes, account: account)
    parameters.authority = authority
    parameters.tenant = tenant
    parameters.forceRefresh = forceRefresh
    return try await acquireTokenSilent(parameters)
  }

  private static func check(_ parameters: SilentParameters) throws(SecretStoreError) {
    if parameters.scopes.isEmpty { throw SecretStoreError(.invalidArgument, "No scope was asked for.") }
    guard parameters.scopes.isWellFormed else {
      throw SecretStoreError(.invalidArgument, "A scope holds a character that no scope may have.")
    }
    if let claims = parameters.claims, JSONValue.lenientObject(Array(claims.utf8)) == nil {
      throw SecretStoreError(.invalidArgument, "The claims are no JSON object.")
    }
  }

  private static func check(_ tenant: String?, at authority: Authority) throws(SecretStoreError) {
    guard let tenant else { return }
    guard authority.kind == .aad else {
      throw SecretStoreError(
        .invalidArgument, "Only Azure AD has tenants; elsewhere the authority's URL says it.")
    }
    guard Authority.isTenantName(tenant), !Authority.tenantless.contains(tenant.lowercased()) else {
      throw SecretStoreError(.invalidArgument, "The tenant is neither an id nor a domain name.")
    }
  }
}
