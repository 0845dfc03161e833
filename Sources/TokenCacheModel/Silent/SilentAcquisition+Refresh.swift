// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Which refresh token is redeemed, and by whom: the client's own, then its family's, under the lease of each.
extension SilentAcquisition {
  /// The refresh token to begin with.
  func refreshToken(_ document: CacheDocument?) async throws -> RefreshTokenInUse? {
    if let own = document.flatMap(ownToken) { return own }
    if let familys = try await familyToken(document) { return familys }
    return try await adalRefreshToken(document)
  }

  /// Why there is nothing to refresh with.
  func nothingToRedeem(_ document: CacheDocument?) async -> SecretStoreError {
    let notice = await wipeNotice(document)
    if cache.endpoint == nil {
      return Self.interaction(
        "No token in the cache fits, and there is no token endpoint to refresh it at.\(notice)")
    }
    return Self.interaction("The cache holds no refresh token for the account.\(notice)")
  }

  /// Refreshes under the client's lease, and under its family's when that token is redeemed, always in this order.
  ///
  /// - Parameter found: The access token that the cache held, if any.
  func refresh(
    at endpoint: any TokenEndpoint, found: AccessTokenChoice.Found?
  ) async throws -> TokenResult {
    let exchange = RefreshExchange(acquisition: self, endpoint: endpoint)
    let start = ContinuousClock.now
    return try await cache.backend.withRefreshLease(on: key) {
      let hasWaited = start.duration(to: .now) > Self.noticeableWait
      let document = try await readDocument()
      if let reused = try await reuse(document, seen: found?.token.secret, afterWaiting: hasWaited) {
        return reused
      }
      guard let own = document.flatMap(ownToken) else {
        return try await redeemOthers(exchange, after: nil, seen: found?.token.secret)
      }
      do {
        return try await exchange.run(own, seen: document)
      } catch let error as SecretStoreError
        where error.code == .interactionRequired && error.underlying is OAuthError
      {
        let refusal = RefreshExchange.Refusal(token: own, error: error)
        return try await redeemOthers(exchange, after: refusal, seen: found?.token.secret)
      }
    }
  }

  /// From when on a lease counts as waited for: others have tried what this call is about to try.
  private static let noticeableWait = Duration.milliseconds(50)

  /// What another app brought meanwhile; after waiting also a token that is due only: whoever had the lease could not
  /// refresh it either.
  private func reuse(
    _ document: CacheDocument?, seen: String?, afterWaiting hasWaited: Bool
  ) async throws -> TokenResult? {
    guard let document, let found = cachedToken(in: document) else { return nil }
    let isGood = found.validity == .fresh || hasWaited && found.validity == .refreshDue && !isBypassing
    guard isGood, !isBypassing || found.token.secret != seen else { return nil }
    CallLog.debug("uses what another call has brought meanwhile")
    return try await deliver(found, from: document)
  }

  /// Redeems the family's refresh token, or else ADAL's.
  private func redeemOthers(
    _ exchange: RefreshExchange, after refusal: RefreshExchange.Refusal?, seen: String?
  ) async throws -> TokenResult {
    do {
      return try await redeemFamilys(exchange, after: refusal, seen: seen)
    } catch let error as SecretStoreError where error.code == .interactionRequired {
      let document = (try? await readDocument()) ?? nil
      let familys = try? await familyToken(document)
      let tried = [refusal?.token.secret, error.underlying is OAuthError ? familys?.secret : nil]
      return try await redeemADALs(
        exchange, after: refusal, seen: seen, tried: Set(tried.compactMap(\.self)), or: error)
    }
  }

  /// Redeems the family's refresh token under its lease.
  private func redeemFamilys(
    _ exchange: RefreshExchange, after refusal: RefreshExchange.Refusal?, seen: String?
  ) async throws -> TokenResult {
    let start = ContinuousClock.now
    let lease = try await familyTokenToRedeem(after: refusal).token.owner
    return try await cache.backend.withRefreshLease(on: lease) {
      let (token, document) = try await familyTokenToRedeem(after: refusal)
      let hasWaited = start.duration(to: .now) > Self.noticeableWait
      if let reused = try await reuse(document, seen: seen, afterWaiting: hasWaited) { return reused }
      return try await exchange.run(token, after: refusal, seen: document)
    }
  }

  /// The family's refresh token as it is now, and the client's document; an error when the token is the one that was
  /// refused already.
  private func familyTokenToRedeem(
    after refusal: RefreshExchange.Refusal?
  ) async throws -> (token: RefreshTokenInUse, document: CacheDocument?) {
    let document: CacheDocument?
    do {
      document = try await readDocument()
    } catch let error as SecretStoreError {
      throw error.code == .interactionRequired ? refusal?.error ?? error : error
    }
    guard let token = try await familyToken(document), token.secret != refusal?.token.secret else {
      throw refusal?.error ?? Self.interaction("The account was signed out meanwhile.")
    }
    return (token, document)
  }

  /// The client's own refresh token.
  private func ownToken(in document: CacheDocument) -> RefreshTokenInUse? {
    best(in: document).map { inUse($0, of: document, owner: key) }
  }

  /// The refresh token of the client's family.
  private func familyToken(_ document: CacheDocument?) async throws -> RefreshTokenInUse? {
    guard let family = try await familyOfClient(document) else { return nil }
    let owner = RecordKey.family(
      homeAccountID: account.identifier, environment: aliases.canonical(account.environment), familyID: family
    )
    guard let shared = try await cache.backend.record(for: owner)?.document() else { return nil }
    return best(in: shared).map { inUse($0, of: shared, owner: owner) }
  }

  private func inUse(_ token: CredentialEntry, of document: CacheDocument, owner: RecordKey)
    -> RefreshTokenInUse
  {
    RefreshTokenInUse(
      secret: token.secret, owner: owner, epoch: document.sharing.epoch, revision: document.sharing.revision)
  }

  /// Outside Azure AD, issuers of one host differ by their path, and one's token is never sent to another.
  private func best(in document: CacheDocument) -> CredentialEntry? {
    CredentialQuery([.refreshToken, .familyRefreshToken]).matches(in: document.credentials).first { token in
      (asked.isMicrosofts || token.realm == nil || token.realm == asked.realm)
        && !parameters.refused.contains(token.secret)
    }
  }

  /// The client's family: as its metadata says, and family `1` for a client that nothing is known of in an
  /// environment that has families.
  func familyOfClient(_ document: CacheDocument?) async throws -> String? {
    guard asked.kind == .aad else { return nil }
    func family(in document: CacheDocument?) -> String? {
      document?.appMetadata.first { $0.isOf(cache.clientID) }?.familyID
    }
    if let known = family(in: document) { return known.isEmpty ? nil : known }
    let client = try await cache.backend.record(for: clientRecord)?.document()
    guard let known = family(in: client) else { return "1" }
    if !known.isEmpty { return known }
    // It was put out of its family; any document that says otherwise was written after that.
    let records = try await cache.backend.records(matching: .credentials(ofClient: cache.clientID))
    return records.compactMap { try? $0.document() }.compactMap(family).first { !$0.isEmpty }
  }

  /// The record of what is known of the client without an account.
  var clientRecord: RecordKey {
    .client(cache.clientID, environment: aliases.canonical(account.environment))
  }

  /// Who emptied the group, if nothing is stored of the account and somebody did.
  private func wipeNotice(_ document: CacheDocument?) async -> String {
    guard document == nil, let record = try? await WipeRecord.read(from: cache.backend) else { return "" }
    return " \(record)"
  }
}
