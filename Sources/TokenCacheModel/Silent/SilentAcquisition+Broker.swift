// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import UnifiedCache

/// A token from the identity broker, which has a refresh token of its own.
extension SilentAcquisition {
  /// Asks the broker for a token, if the account is the broker's.
  ///
  /// Apps that ask at once wait for each other, as for a refresh: one asks the broker, and the others use its token.
  ///
  /// - Parameter found: The access token from the cache, if any.
  /// - Returns: The token; `nil` if the group's own refresh token, if any, is to be used.
  /// - Throws: The broker's error.
  func acquireFromBroker(
    _ document: CacheDocument?, found: AccessTokenSelector.Found?
  ) async throws -> TokenResult? {
    guard let broker = try broker(for: document) else { return nil }
    let start = ContinuousClock.now
    do {
      return try await cache.backend.withRefreshLease(on: key) { () async throws -> TokenResult? in
        let hasWaited = start.duration(to: .now) > Self.noticeableWait
        let document = try await readDocument()
        if let reused = try await reuse(document, seen: found?.token.secret, afterWaiting: hasWaited) {
          return reused
        }
        guard let token = try await timed({ try await token(from: broker, renewing: found) }) else {
          return nil
        }
        var result = try await save(token, seen: document)
        result.refreshReason = reason
        return result
      }
    } catch let error as SecretStoreError {
      guard (error.underlying as? SecretStoreError.BrokerError)?.meaning.allowsRefresh == true,
        cache.endpoint != nil, try await refreshToken(document) != nil
      else { throw error }
      CallLog.debug("uses the group's own refresh token in the broker's place", CallLog.facts(of: error))
      return nil
    }
  }

  /// Returns the broker if it has the account and can make the token.
  private func broker(for document: CacheDocument?) throws(SecretStoreError) -> BrokerClient? {
    guard parameters.scheme.tokenType == nil, parameters.resource == nil,
      account.isFromBroker || document?.accounts.contains(where: \.isFromBroker) == true
    else { return nil }
    return try cache.broker(at: authority)
  }

  /// Requests the token.
  ///
  /// - Returns: The token, which is this account's; `nil` where no broker is installed.
  private func token(
    from broker: BrokerClient, renewing found: AccessTokenSelector.Found?
  ) async throws -> BrokerToken? {
    let correlationID = parameters.correlationID ?? CorrelationID.next()
    guard let accounts = try await broker.accounts(correlationID: correlationID) else { return nil }
    let listed = accounts.first { known in
      RecordKey.storedAccount(known.account.identifier) == RecordKey.storedAccount(account.identifier)
        && aliases.areSame(known.account.storageEnvironment, account.storageEnvironment)
    }
    guard let listed else {
      throw SecretStoreError.BrokerError.accountNotFound.storeError(redirectURI: broker.redirectURI)
    }
    let request = BrokerClient.TokenRequest(
      authority: requestAuthority.url.absoluteString, scopes: parameters.scopes,
      claims: try cache.options.claims(adding: parameters.claims),
      renewedToken: parameters.forceRefresh ? found?.token.secret : nil,
      extraParameters: parameters.extraParameters, correlationID: correlationID, now: cache.clock.now())
    guard let token = try await broker.token(of: listed, request) else { return nil }
    try token.check(for: account, clientID: cache.clientID, aliases)
    return token
  }

  /// Saves the token, checks it against the request, and returns it.
  ///
  /// A failed save does not fail the call: the error is in the result's `saveError`.
  ///
  /// - Parameter seen: The client's document before the request.
  /// - Throws: `interactionRequired` when the account was signed out meanwhile; `serverError` when the token is of
  ///   another tenant than requested, and `declinedScopes` when it has not all scopes that were requested.
  private func save(_ token: BrokerToken, seen: CacheDocument?) async throws -> TokenResult {
    let response = token.response
    var entries = try TokenEntries(response, responseContext)
    entries.markAsFromBroker()
    var (account, saveError) = (account.markedAsFromBroker(), SecretStoreError?.none)
    do {
      account = account.updated(from: try await store(entries, seen: seen))
      saveError = await cache.external.update(account, claims: response.claims)
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
      CallLog.warning("the broker's token could not be saved", CallLog.facts(of: error))
    }
    guard let accessToken = entries.accessToken else {
      throw SecretStoreError(.invalidResponse, "The identity broker's reply has no access token.")
    }
    try check(accessToken)
    let result = TokenResult(
      accessToken, idToken: entries.idToken?.secret ?? seen?.idToken(beside: accessToken), account: account,
      source: .broker, saveError: saveError, response: response)
    try DeclinedScopes.check(accessToken, of: result, for: parameters.scopes, in: parameters.correlationID)
    return result
  }

  /// Writes the entries into the client's record, unless the account was signed out meanwhile.
  private func store(_ entries: TokenEntries, seen: CacheDocument?) async throws -> Account {
    let saved = try await cache.backend.update(key) { [app = cache.app] stored -> Account? in
      if stored == nil && seen != nil { return nil }
      var document = stored ?? CacheDocument()
      guard document.metadata.signOutNumber == seen?.metadata.signOutNumber ?? 0,
        document.metadata[app] != .signedOut
      else { return nil }
      entries.apply(to: &document)
      document.metadata[app] = .signedIn
      stored = document
      return try document.account(entries.homeAccountID)
    }
    guard let saved else { throw Self.interaction("The account was signed out meanwhile.") }
    return saved
  }
}
