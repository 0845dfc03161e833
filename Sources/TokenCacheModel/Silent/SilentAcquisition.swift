// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// One silent call: the cache first, and then the refresh.
struct SilentAcquisition: Sendable {
  let cache: TokenCache
  let parameters: SilentParameters
  /// The authority that was asked for.
  let asked: Authority
  /// Which hosts are one environment.
  let aliases: EnvironmentAliases

  var account: Account { parameters.account }

  /// The record of the account's tokens for the client.
  var key: RecordKey { key(of: account.identifier) }

  /// The record of an account's tokens for the client, in the account's environment.
  func key(of homeAccountID: String) -> RecordKey {
    .credentials(
      homeAccountID: homeAccountID, environment: aliases.canonical(account.environment),
      clientID: cache.clientID)
  }

  /// Whether the access tokens in the cache are passed over.
  var isBypassing: Bool { parameters.forceRefresh || parameters.claims != nil }

  func run() async throws -> TokenResult {
    guard aliases.areSame(asked.environment, account.environment), asked.isPolicy(of: account) else {
      throw Self.interaction("The account belongs to another cloud or provider than the authority.")
    }
    if account.identifier.isEmpty { return try await takeUp() }
    let record = try await readRecord()
    let document = try record?.document()
    if try await hasLeftADAL(document) { throw Self.interaction("This app is signed out of the account.") }
    if document == nil, let moved = try await afterMove() { return try await moved.run() }
    let found = document.flatMap(cachedToken)
    CallLog.debug(
      "has read the cache", ["account-is-stored": "\(document != nil)", "token": "\(Self.word(for: found))"])
    if !isBypassing, let record, let document, let found, found.validity == .fresh {
      let result = try await deliver(found, from: document)
      remember(result, for: found.token, of: record)
      return result
    }
    do {
      guard let endpoint = cache.endpoint, try await refreshToken(document) != nil else {
        if !isBypassing, let document, let found, found.validity == .refreshDue {
          return try await deliver(found, from: document)
        }
        throw await nothingToRedeem(document)
      }
      return try await refresh(at: endpoint, found: found)
    } catch {
      guard let document = try await leftBehind(by: error), let kept = cachedToken(in: document),
        stands(in: kept, for: error, seen: found?.token.secret)
      else { throw error }
      return try await deliver(kept, from: document)
    }
  }

  /// What is stored after a refresh that failed; that the user has to sign in is said as the refresh said it.
  private func leftBehind(by error: any Error) async throws -> CacheDocument? {
    do {
      return try await readDocument()
    } catch let later {
      throw (error as? SecretStoreError)?.code == .interactionRequired ? error : later
    }
  }

  /// What the cache had, for the log.
  private static func word(for found: AccessTokenChoice.Found?) -> String {
    switch found?.validity {
    case nil: "none that fits"
    case .fresh?: "fresh"
    case .refreshDue?: "should be refreshed"
    case .extended?: "expired, within its extended lifetime"
    }
  }

  /// The same call under what the group has learnt, when that says that the account is kept under another host.
  private func afterMove() async throws -> SilentAcquisition? {
    guard aliases == .shipped, asked.kind == .aad else { return nil }
    let learnt = try await cache.aliases(for: asked)
    guard cache.key(account, learnt) != key else { return nil }
    return SilentAcquisition(cache: cache, parameters: parameters, asked: asked, aliases: learnt)
  }

  /// Whether a token that is in the cache after a failed refresh is used all the same.
  ///
  /// One that another app has brought meanwhile is: their locks may not meet, or have not been waited for, and then
  /// the first to send a refresh token that can be used once is the only one to get an answer. One that is still
  /// valid is, unless the server has spoken against it. One that has expired is while the server is down, where the
  /// app allows it.
  ///
  /// - Parameter seen: The token that the cache held before.
  private func stands(in kept: AccessTokenChoice.Found, for error: any Error, seen: String?) -> Bool {
    guard let error = error as? SecretStoreError else { return false }
    switch kept.validity {
    case .fresh:
      return kept.token.secret != seen && ![.declinedScopes, .accountMismatch].contains(error.code)
    case .refreshDue:
      return !isBypassing
        && ![.interactionRequired, .declinedScopes, .accountMismatch, .groupLocked].contains(error.code)
    case .extended:
      guard !isBypassing, cache.options.usesExtendedLifetime else { return false }
      return error.code == .networkError || (error.underlying as? OAuthError)?.isOutage == true
    }
  }

  static func interaction(_ detail: String) -> SecretStoreError {
    SecretStoreError(.interactionRequired, detail)
  }
}
