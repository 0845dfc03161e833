// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// One silent call: the cache first, and then the refresh.
package struct SilentAcquisition: Sendable {
  let cache: TokenCache
  var parameters: SilentParameters
  /// The authority of the call.
  let authority: Authority
  /// The hosts that belong to one environment.
  var aliases: EnvironmentAliases
  /// Why the call asks the server, if it does.
  var reason = TokenResult.RefreshReason.noAccessToken
  /// The time for which the call has waited for the token endpoint or the broker.
  let endpointDuration = Locked(Duration.zero)

  var account: Account { parameters.account }

  /// The key of the account's tokens for the client.
  var key: RecordKey { key(of: account.identifier) }

  /// Returns the key of an account's tokens for the client, in this account's environment.
  func key(of homeAccountID: String) -> RecordKey {
    .credentials(
      homeAccountID: homeAccountID, environment: aliases.canonical(account.storageEnvironment),
      clientID: cache.clientID)
  }

  /// Whether the call ignores the access tokens in the cache.
  var isBypassing: Bool { parameters.forceRefresh || parameters.claims != nil }

  func run() async throws -> TokenResult {
    guard aliases.areSame(authority.storageEnvironment, account.storageEnvironment),
      authority.isPolicy(of: account)
    else {
      throw Self.interaction("The account belongs to another cloud or provider than the authority.")
    }
    if account.identifier.isEmpty { return try await acquireWithLegacySignIn() }
    let record = try await readRecord()
    let document = try record?.document()
    if try await isSignedOutOfLegacySignIn(document) {
      throw Self.interaction("This app is signed out of the account.")
    }
    if document == nil, let moved = try await afterMove() { return try await moved.run() }
    let found = document.flatMap(cachedToken)
    CallLog.debug(
      "has read the cache",
      ["account-is-stored": "\(document != nil)", "token": "\(logValue(for: found, in: document))"])
    if !isBypassing, let record, let document, let found, found.validity == .fresh {
      let result = try await deliver(found, from: document)
      remember(result, for: found.token, of: record)
      return result
    }
    let reason = refreshReason(found, document)
    do {
      var asking = self
      asking.reason = reason
      if let result = try await asking.acquireFromBroker(document, found: found) { return result }
      guard let endpoint = cache.endpoint, try await refreshToken(document) != nil else {
        if !isBypassing, let document, let found, found.validity == .refreshDue {
          return try await deliver(found, from: document)
        }
        throw await nothingToRedeem(document)
      }
      return try await asking.refresh(at: endpoint, found: found)
    } catch {
      guard let document = try await documentAfterFailure(by: error), let cached = cachedToken(in: document),
        isUsable(cached, despite: error, seen: found?.token.secret)
      else { throw error }
      var result = try await deliver(cached, from: document)
      result.refreshReason = reason
      result.refreshError = error as? SecretStoreError
      return result
    }
  }

  /// Returns why the call asks the server, although it has read the cache.
  private func refreshReason(
    _ found: AccessTokenSelector.Found?, _ document: CacheDocument?
  ) -> TokenResult.RefreshReason {
    if parameters.forceRefresh { return .forced }
    if parameters.claims != nil { return .claims }
    if found?.validity == .refreshDue { return .refreshDue }
    return document.map(hasOldToken) == true ? .expired : .noAccessToken
  }

  /// Returns the stored document after a failed refresh; `nil` when no stored token may be returned in spite of it.
  ///
  /// Nothing is read after an error that has a response: it may be the only copy of the new refresh token.
  ///
  /// - Throws: The refresh's error, when that is `interactionRequired`; otherwise the error of the read.
  private func documentAfterFailure(by error: any Error) async throws -> CacheDocument? {
    guard let error = error as? SecretStoreError, error.unsaved == nil,
      ![.declinedScopes, .accountMismatch].contains(error.code)
    else { return nil }
    do {
      return try await readDocument()
    } catch let later {
      throw error.code == .interactionRequired ? error : later
    }
  }

  /// Returns a description of the token from the cache, for the log.
  private func logValue(for found: AccessTokenSelector.Found?, in document: CacheDocument?) -> String {
    switch found?.validity {
    case nil: unusableTokens(in: document).map { "none that fits (\($0))" } ?? "none that fits"
    case .fresh?: "fresh"
    case .refreshDue?: "should be refreshed"
    case .extended?: "expired, within its extended lifetime"
    }
  }

  /// Returns the same call with the aliases that the group has learned, if these put the account under another host;
  /// otherwise `nil`.
  private func afterMove() async throws -> SilentAcquisition? {
    guard aliases == .shipped, authority.kind == .aad else { return nil }
    let learned = try await cache.aliases(for: authority)
    guard cache.key(account, learned) != key else { return nil }
    var moved = self
    moved.aliases = learned
    return moved
  }

  /// Sends a request, and counts the time until it ends.
  func timed<Response>(_ request: () async throws -> Response) async rethrows -> Response {
    let start = ContinuousClock.now
    defer { endpointDuration.withLock { $0 += start.duration(to: .now) } }
    return try await request()
  }

  /// Returns whether a token in the cache is returned in spite of a failed refresh.
  ///
  /// - A fresh token that another app has stored meanwhile is returned. The apps may share no locks, or a lease may
  ///   have timed out. Then only the first app to send a single-use refresh token gets a response.
  /// - A token that is due for a refresh but still valid is returned, unless the call bypasses the cache, the server
  ///   has required interaction, or the group is locked.
  /// - An expired token within its extended lifetime is returned while the server is down, unless the call bypasses the
  ///   cache, if the app allows it.
  ///
  /// - Parameter seen: The token from the cache before the refresh.
  private func isUsable(_ cached: AccessTokenSelector.Found, despite error: any Error, seen: String?) -> Bool
  {
    guard let error = error as? SecretStoreError else { return false }
    switch cached.validity {
    case .fresh:
      return cached.token.secret != seen
    case .refreshDue:
      return !isBypassing && ![.interactionRequired, .groupLocked].contains(error.code)
    case .extended:
      guard !isBypassing, cache.options.usesExtendedLifetime else { return false }
      return error.code == .networkError || (error.underlying as? OAuthError)?.isOutage == true
        || (error.underlying as? SecretStoreError.BrokerError)?.isOutage == true
    }
  }

  package static func interaction(_ detail: String) -> SecretStoreError {
    SecretStoreError(.interactionRequired, detail)
  }
}
