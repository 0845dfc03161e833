// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
public import UnifiedCache

extension TokenCache {
  /// Acquires an access token without interaction, from the cache or by a refresh.
  ///
  /// The order is MSAL's: an unexpired access token of the account, client and tenant for the scopes; then the identity
  /// broker's, if the cache uses a broker (`usesBroker`) that has the account; then the client's
  /// refresh token; then its family's; and last ADAL's (see ``TokenCacheOptions/sharesWithADAL``). When many apps ask
  /// at once, one of them redeems the refresh token, and the others wait and use the new token. The call never prompts.
  ///
  /// Once a refresh token has been sent, the response is awaited and saved even if the task is cancelled. Otherwise a
  /// single-use refresh token would be lost. The first token for an app also records the app as using the account,
  /// which costs one write.
  ///
  /// - A token whose `refresh_on` has passed is refreshed. It is still returned when the server can't be reached or
  ///   fails.
  /// - An expired token is returned within its extended lifetime while the server is down, if
  ///   ``TokenCacheOptions/usesExtendedLifetime`` allows it.
  /// - A server error is retried once. When a server asks to wait, no app of the group sends the request meanwhile. A
  ///   refused request is not sent again for two minutes.
  ///
  /// - Returns: The token. Its `saveError` is set when it could not be saved. It says why the server was asked, and how
  ///   long that took; it and every error have the call's correlation ID.
  /// - Throws: An app must handle the first two of these errors.
  ///   - `interactionRequired` when no token can be acquired silently: none is stored, this app has signed out, or the
  ///     server requires interaction (with its ``OAuthError`` as the underlying error).
  ///   - `declinedScopes` when the server granted less than the requested scopes; the granted token is in the cache
  ///     (``DeclinedScopes`` is the underlying error). Some brokers send no token then; the underlying error is a
  ///     `SecretStoreError.BrokerError`.
  ///   - `protectionPolicyRequired` when the organization's app protection policy does not cover the app or the device.
  ///   - `accountMismatch` when the response is for another account; it is not saved.
  ///   - `networkError` and `serverError` when the endpoint or the broker can't be reached or fails.
  ///   - `invalidResponse` when a broker's reply is malformed or for another app, `promptDismissed` when the user has
  ///     cancelled there, and `invalidRedirectURI` when the app has not registered the broker's redirect URI.
  ///   - `invalidArgument` for no scope or a malformed one, for claims that are no JSON object, for an extra
  ///     parameter that the request has already, for a tenant that is no ID or domain name, and for a tenant at another
  ///     authority than Azure AD's.
  ///   - `storageFailed` when the client's record has no room for a new refresh token; nothing is sent then.
  ///   - Whatever the back end throws: a locked group is `groupLocked`, never `interactionRequired`.
  public func acquireTokenSilent(_ parameters: SilentParameters) async throws -> TokenResult {
    let correlationID = parameters.correlationID ?? CorrelationID.next()
    if let kept = try cachedResult(parameters, correlationID) { return kept }
    let start = ContinuousClock.now
    var parameters = parameters
    parameters.correlationID = correlationID
    do {
      var result = try await logged(parameters, correlationID)
      result.correlationID = correlationID
      result.duration = start.duration(to: .now)
      if result.source == .cache { countCacheHit() }
      return result
    } catch var error as SecretStoreError {
      error.correlationID = correlationID
      throw error
    }
  }

  private func logged(_ parameters: SilentParameters, _ correlationID: UUID) async throws -> TokenResult {
    try await CallLog.run(
      "acquireTokenSilent", correlationID, to: options.logger,
      [
        "app": "\(app?.description ?? "none")", "client": clientID, "account": "\(parameters.account)",
        "authority": "\((parameters.authority ?? authority).url)", "scopes": "\(parameters.scopes)",
        "forced": "\(parameters.forceRefresh)", "claims": "\(parameters.claims != nil)",
      ], outcome: { $0.source.rawValue }
    ) {
      try await token(parameters)
    }
  }

  private func countCacheHit() { if options.telemetryAPI != nil { telemetry.countCacheHit() } }

  /// Returns the result from the token result cache, if the back end keeps the record in memory.
  ///
  /// It is not used when the logger logs at `debug`, so that the log shows each call's steps.
  private func cachedResult(
    _ parameters: SilentParameters, _ correlationID: UUID
  ) throws -> TokenResult? {
    let account = parameters.account
    guard options.logger.logLevel > .debug,
      let record = backend.cachedRecord(
        for: .credentials(
          homeAccountID: account.identifier, environment: account.storageEnvironment, clientID: clientID)),
      let key = TokenResultCacheKey(parameters, of: self),
      let result = record.tokenResults.result(for: key, at: clock.now())
    else { return nil }
    try Task.checkCancellation()
    countCacheHit()
    return result.with(account, correlationID)
  }

  private func token(_ parameters: SilentParameters) async throws -> TokenResult {
    try check(parameters)
    let requested = parameters.authority ?? authority
    try Self.check(parameters.tenant, at: requested)
    let isSame = requested.storageEnvironment == parameters.account.storageEnvironment
    let acquisition = SilentAcquisition(
      cache: self, parameters: parameters, authority: requested,
      aliases: isSame ? .shipped : try await aliases(for: requested))
    var result = try await acquisition.run()
    result.endpointDuration = acquisition.endpointDuration.withLock { $0 }
    return result
  }

  /// Acquires an access token without interaction; see ``acquireTokenSilent(_:)``.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must have; at least one.
  ///   - account: The account that the token is for, from ``accounts(includingSignedOut:)`` or a similar method.
  ///   - authority: The authority, if it is not the cache's own.
  ///   - tenant: The tenant that must have issued the token, if it is not the authority's.
  ///   - forceRefresh: Whether the call ignores the access tokens in the cache.
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

  private func check(_ parameters: SilentParameters) throws(SecretStoreError) {
    if parameters.scopes.isEmpty { throw SecretStoreError(.invalidArgument, "No scope was asked for.") }
    guard parameters.scopes.isWellFormed else {
      throw SecretStoreError(.invalidArgument, "A scope holds a character that no scope may have.")
    }
    _ = try options.claims(adding: parameters.claims)
    let own = TokenRequest.fieldNames.union(parameters.scheme.requestParameters.map { $0.name.lowercased() })
    for name in parameters.extraParameters.map({ $0.name.lowercased() }) where own.contains(name) {
      throw SecretStoreError(.invalidArgument, "The request has a parameter \(name) already.")
    }
    if parameters.extraParameters.contains(where: { $0.name.allSatisfy(\.isWhitespace) }) {
      throw SecretStoreError(.invalidArgument, "An extra parameter has no name.")
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
