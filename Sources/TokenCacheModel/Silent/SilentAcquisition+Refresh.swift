// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// The choice of the refresh token: the client's own, then the family's, then an older library's, each under its own
/// lease.
extension SilentAcquisition {
  /// Returns the refresh token to try first.
  func refreshToken(_ document: CacheDocument?) async throws -> RefreshTokenInUse? {
    if let own = document.flatMap(ownToken) { return own }
    if let token = try await familyToken(document) { return token }
    return try await legacyRefreshToken(document)
  }

  /// Returns the error of a call without a refresh token or without a token endpoint.
  func nothingToRedeem(_ document: CacheDocument?) async -> SecretStoreError {
    let notice = await removalNotice(document)
    let reason =
      cache.endpoint == nil
      ? "No token in the cache fits, and there is no token endpoint to refresh it at."
      : "The cache holds no refresh token for the account."
    return Self.interaction("\(reason)\(unusableNotice(document))\(notice)")
  }

  /// Returns which access tokens of the account this call can't use, as a sentence; otherwise an empty text.
  func unusableNotice(_ document: CacheDocument?) -> String {
    unusableTokens(in: document).map { " The account's access tokens can't be used: \($0)." } ?? ""
  }

  /// Refreshes under the client's lease.
  ///
  /// Redeeming the family's refresh token takes the family's lease as well, always in this order.
  ///
  /// - Parameter found: The access token from the cache, if any.
  func refresh(
    at endpoint: any TokenEndpoint, found: AccessTokenSelector.Found?
  ) async throws -> TokenResult {
    let grant = RefreshTokenGrant(acquisition: self, endpoint: endpoint)
    let start = ContinuousClock.now
    let seen = found?.token.secret
    return try await cache.backend.withRefreshLease(on: key) {
      var refusal: RefreshTokenGrant.Refusal?
      do {
        let own = { @Sendable (document: CacheDocument?) in document.flatMap(ownToken) }
        if let result = try await redeem(grant, after: nil, seen: seen, since: start, own) { return result }
      } catch let refused as RefreshTokenGrant.Refusal {
        refusal = refused
      }
      return try await redeemFallbackToken(grant, after: refusal, seen: seen)
    }
  }

  /// Redeems a stored refresh token.
  ///
  /// If the server refuses it and another one is stored by then, that one is redeemed. Apps that share no locks may
  /// send one refresh token at once, and a server that accepts it once refuses it to the others.
  ///
  /// - Parameters:
  ///   - refusal: The refusal of the client's own refresh token.
  ///   - start: The time from which the call has waited for the lease.
  ///   - stored: Returns the refresh token as it is stored now.
  /// - Returns: The token; `nil` when no other refresh token is stored than the refused one.
  /// - Throws: `Refusal` of the last refresh token that was sent.
  private func redeem(
    _ grant: RefreshTokenGrant, after refusal: RefreshTokenGrant.Refusal?, seen: String?,
    since start: ContinuousClock.Instant,
    _ stored: @Sendable (CacheDocument?) async throws -> RefreshTokenInUse?
  ) async throws -> TokenResult? {
    let hasWaited = start.duration(to: .now) > Self.noticeableWait
    var last: RefreshTokenGrant.Refusal?
    for _ in 1...2 {
      let readAt = UnixTime.now
      let document = try await readDocument(after: last ?? refusal)
      if let reused = try await reuse(document, seen: seen, afterWaiting: hasWaited) { return reused }
      guard var token = try await stored(document), token.secret != (last ?? refusal)?.token.secret else {
        break
      }
      token.readAt = readAt
      try document?.requireRoom()
      do {
        return try await grant.run(token, after: refusal, seen: document)
      } catch let error as SecretStoreError
        where error.code == .interactionRequired && error.underlying is OAuthError
      {
        last = RefreshTokenGrant.Refusal(token: token, error: error)
      }
    }
    if let last { throw last }
    return nil
  }

  /// Reads the client's document.
  ///
  /// - Throws: The error of `refusal`, if there is one, when the account is signed out by now.
  private func readDocument(after refusal: RefreshTokenGrant.Refusal?) async throws -> CacheDocument? {
    do {
      return try await readDocument()
    } catch let error as SecretStoreError where error.code == .interactionRequired {
      throw refusal?.error ?? error
    }
  }

  /// The wait for a lease after which this call assumes that another call has tried the same refresh.
  static let noticeableWait = Duration.milliseconds(50)

  /// Returns a token that another call has stored meanwhile.
  ///
  /// After a wait for the lease, a token that is only due for a refresh is good enough: the lease's holder could not
  /// refresh it either.
  func reuse(
    _ document: CacheDocument?, seen: String?, afterWaiting hasWaited: Bool
  ) async throws -> TokenResult? {
    guard let document, let found = cachedToken(in: document) else { return nil }
    let isReusable = found.validity == .fresh || hasWaited && found.validity == .refreshDue && !isBypassing
    guard isReusable, !isBypassing || found.token.secret != seen else { return nil }
    CallLog.debug("uses what another call has brought meanwhile")
    return try await deliver(found, from: document)
  }

  /// Redeems the family's refresh token or, if that is missing or refused, an older library's.
  private func redeemFallbackToken(
    _ grant: RefreshTokenGrant, after refusal: RefreshTokenGrant.Refusal?, seen: String?
  ) async throws -> TokenResult {
    do {
      return try await redeemFamilyRefreshToken(grant, after: refusal, seen: seen)
    } catch let error as SecretStoreError where error.code == .interactionRequired {
      let document = (try? await readDocument()) ?? nil
      let familyToken = try? await familyToken(document)
      let tried = [refusal?.token.secret, error.underlying is OAuthError ? familyToken?.secret : nil]
      return try await redeemLegacyRefreshToken(
        grant, after: refusal, seen: seen, tried: Set(tried.compactMap(\.self)), or: error)
    }
  }

  /// Redeems the family's refresh token under its lease.
  private func redeemFamilyRefreshToken(
    _ grant: RefreshTokenGrant, after refusal: RefreshTokenGrant.Refusal?, seen: String?
  ) async throws -> TokenResult {
    let start = ContinuousClock.now
    let token = try await familyToken(try await readDocument(after: refusal))
    if let token, token.secret != refusal?.token.secret {
      let result = try await cache.backend.withRefreshLease(on: token.owner) {
        () async throws -> TokenResult? in
        do {
          return try await redeem(grant, after: refusal, seen: seen, since: start, familyToken)
        } catch let refused as RefreshTokenGrant.Refusal {
          throw refused.error
        }
      }
      if let result { return result }
    }
    throw refusal?.error ?? Self.interaction("The account was signed out meanwhile.")
  }

  /// Returns the client's own refresh token.
  private func ownToken(in document: CacheDocument) -> RefreshTokenInUse? {
    best(in: document).map { inUse($0, of: document, owner: key) }
  }

  /// Returns the refresh token of the client's family.
  private func familyToken(_ document: CacheDocument?) async throws -> RefreshTokenInUse? {
    guard let family = try await familyOfClient(document) else { return nil }
    let owner = RecordKey.family(
      homeAccountID: account.identifier, environment: aliases.canonical(account.storageEnvironment),
      familyID: family
    )
    guard let shared = try await cache.backend.record(for: owner)?.document() else { return nil }
    if document == nil, try await isSignedOutEverywhere() { return nil }
    return best(in: shared).map { inUse($0, of: shared, owner: owner) }
  }

  /// Returns whether every client's record of the account says that it is signed out.
  ///
  /// A family's refresh token that is there nevertheless has come back, as with a copy of a keyring.
  private func isSignedOutEverywhere() async throws -> Bool {
    let records = try await cache.backend.records(
      matching: .all(
        .credentials, homeAccountID: account.identifier,
        environment: aliases.canonical(account.storageEnvironment)))
    return !records.isEmpty && records.allSatisfy { (try? $0.document().isSignedOut(for: nil)) == true }
  }

  private func inUse(_ token: CredentialEntry, of document: CacheDocument, owner: RecordKey)
    -> RefreshTokenInUse
  {
    RefreshTokenInUse(
      secret: token.secret, owner: owner, signOutNumber: document.metadata.signOutNumber,
      revision: document.metadata.revision, readAt: UnixTime.now)
  }

  /// Returns the refresh token to send, except one that the server has just refused.
  ///
  /// At AD FS it must be the authority's own: a token of another issuer belongs to another account.
  private func best(in document: CacheDocument) -> CredentialEntry? {
    var query = CredentialQuery([.refreshToken, .familyRefreshToken])
    query.userAssertionHash = .absent
    return query.matches(in: document.credentials).first { token in
      (authority.kind != .adfs || token.realm == nil || token.realm == authority.realm)
        && !parameters.refused.contains(token.secret)
    }
  }

  /// Returns the client's family; `nil` for none.
  ///
  /// The client's app metadata decides. A client without metadata belongs to family `1` in environments that have
  /// families.
  func familyOfClient(_ document: CacheDocument?) async throws -> String? {
    // An older library's account may have no ID that shows it.
    guard key.hasFamilies || authority.kind == .aad else { return nil }
    func family(in document: CacheDocument?) -> String? {
      document?.appMetadata.first { $0.isOf(cache.clientID) }?.familyID
    }
    if let known = family(in: document) { return known.isEmpty ? nil : known }
    let client = try await cache.backend.record(for: clientRecord).flatMap(cache.readable)
    guard let known = family(in: client) else { return "1" }
    if !known.isEmpty { return known }
    // The server has put the client out of its family. A document that names one was written after that.
    let records = try await cache.backend.records(matching: .credentials(ofClient: cache.clientID))
      .filter(\.key.hasFamilies)
    return records.compactMap { try? $0.document() }.compactMap(family).first { !$0.isEmpty }
  }

  /// The key of the client's data that belongs to no account.
  var clientRecord: RecordKey {
    .client(cache.clientID, environment: aliases.canonical(account.storageEnvironment))
  }

  /// Returns who removed the account's tokens, or everything from the group, and when; otherwise an empty text.
  private func removalNotice(_ document: CacheDocument?) async -> String {
    if let document { return signOutNotice(document) }
    return await Self.wipeNotice(in: cache.backend)
  }

  /// Returns who removed accounts or tokens from the group last, and when, after a space; otherwise an empty text.
  package static func wipeNotice(in backend: any TokenCacheBackend) async -> String {
    guard let record = try? await WipeRecord.read(from: backend) else { return "" }
    return " \(record)"
  }
}
