// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// The use of an older library's sign-ins: its refresh token is redeemed, and the response is stored in the unified
/// format.
extension SilentAcquisition {
  /// Gets a token for an older library's account that has no identifier yet.
  ///
  /// If another call has stored the account in the unified format meanwhile, this call continues with that account.
  /// It does so outside the lease, because the unified cache's leases are taken before the older library's.
  func acquireWithLegacySignIn() async throws -> TokenResult {
    if let known = try await migratedAcquisition() { return try await known.run() }
    var error = await nothingToRedeem(nil)
    guard let endpoint = cache.endpoint, try await !isSignedOutByName() else { throw error }
    let grant = RefreshTokenGrant(acquisition: self, endpoint: endpoint)
    var tried: Set<String> = []
    while let next = try await legacyRefreshToken(nil, besides: tried) {
      tried.insert(next.secret)
      do {
        let result = try await cache.backend.withRefreshLease(on: next.owner) {
          () async throws -> TokenResult? in
          let isMigrated = try await migratedAcquisition() != nil
          guard !isMigrated, let token = try await legacyRefreshToken(nil, in: next.owner) else { return nil }
          return try await grant.run(token, seen: nil)
        }
        if let result { return result }
        if let known = try await migratedAcquisition() { return try await known.run() }
      } catch let refusal as SecretStoreError
        where refusal.code == .interactionRequired && refusal.underlying is OAuthError
      {
        error = refusal
      }
    }
    throw error
  }

  /// Returns the same call for the unified account that has replaced the older library's account; `nil` when there is
  /// none.
  private func migratedAcquisition() async throws -> SilentAcquisition? {
    let named = try await cache.unifiedAccounts(namedAs: account)
    guard let account = try Account.single(named) else { return nil }
    var migrated = self
    migrated.parameters.account = account
    return migrated
  }

  /// Redeems an older library's refresh tokens under their leases, for an account with no other usable refresh token.
  ///
  /// - Parameters:
  ///   - tried: The refresh tokens that the server has refused.
  ///   - error: The error to throw when there is none of them either.
  func redeemLegacyRefreshToken(
    _ grant: RefreshTokenGrant, after refusal: RefreshTokenGrant.Refusal?, seen: String?,
    tried: Set<String>, or error: SecretStoreError
  ) async throws -> TokenResult {
    var (tried, error) = (tried, error)
    while try await !isSignedOut(),
      let next = try await legacyRefreshToken(try await readDocument(), besides: tried)
    {
      tried.insert(next.secret)
      do {
        let result = try await cache.backend.withRefreshLease(on: next.owner) {
          () async throws -> TokenResult? in
          let readAt = UnixTime.now
          let document = try await readDocument()
          if let document, let found = cachedToken(in: document), found.validity == .fresh,
            !isBypassing || found.token.secret != seen
          {
            return try await deliver(found, from: document)
          }
          guard var token = try await legacyRefreshToken(document, in: next.owner) else { return nil }
          token.readAt = readAt
          try document?.requireRoom()
          return try await grant.run(token, after: refusal, seen: document)
        }
        if let result { return result }
      } catch let refusal as SecretStoreError
        where refusal.code == .interactionRequired && refusal.underlying is OAuthError
      {
        error = refusal
      }
    }
    throw error
  }

  private func isSignedOut() async throws -> Bool {
    try await cache.backend.record(for: key)?.document().isSignedOut(for: cache.app) == true
  }

  /// Whether the app is signed out of an account with this user name in the unified format.
  private func isSignedOutByName() async throws -> Bool {
    let records = try await cache.backend.records(matching: .credentials(ofClient: cache.clientID))
    return records.contains { record in
      guard let document = try? record.document(), document.isSignedOut(for: cache.app) else { return false }
      return document.matches(account, record.key)
    }
  }

  /// Whether the app signed out of the account in an older library's format and has not signed in to it in the unified
  /// format.
  func isSignedOutOfLegacySignIn(_ document: CacheDocument?) async throws -> Bool {
    guard cache.app != nil, let shared = cache.legacySignIns(at: authority),
      document?.metadata[cache.app] != .signedIn
    else { return false }
    let aliases = try await cache.aliases(for: authority)
    return try await shared.isSignedOut(of: account, for: try await legacyClient(document), aliases)
  }

  private func legacyClient(_ document: CacheDocument?) async throws -> LegacyClient {
    cache.legacyClient(families: Set([try await familyOfClient(document)].compactMap(\.self)))
  }

  /// Returns an older library's refresh token for the account: the client's, else its family's.
  ///
  /// - Parameters:
  ///   - owner: The item that the token must belong to; `nil` for any.
  ///   - tried: The refresh tokens to leave out.
  func legacyRefreshToken(
    _ document: CacheDocument?, in owner: RecordKey? = nil, besides tried: Set<String> = []
  ) async throws -> RefreshTokenInUse? {
    guard let shared = cache.legacySignIns(at: authority) else { return nil }
    let found = try await shared.refreshTokens(
      of: account, at: authority, for: try await legacyClient(document),
      try await cache.aliases(for: authority))
    return found.first { token in
      (owner == nil || owner == token.owner) && !tried.contains(token.secret)
    }
  }
}
