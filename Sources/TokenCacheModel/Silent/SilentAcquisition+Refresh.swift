// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Which refresh token is redeemed, and by whom: the client's own, then its family's, under the lease of each.
extension SilentAcquisition {
  /// The refresh token to begin with.
  func refreshToken(_ document: CacheDocument?) async throws -> RefreshTokenInUse? {
    if let own = document.flatMap(ownToken) { return own }
    return try await familyToken(document)
  }

  /// Why there is nothing to refresh with.
  func nothingToRedeem(_ document: CacheDocument?) async -> SecretStoreError {
    if cache.endpoint == nil {
      return Self.interaction("No token in the cache fits, and there is no token endpoint to refresh it at.")
    }
    return Self.interaction("The cache holds no refresh token for the account.\(await wipeNotice(document))")
  }

  /// - Parameters:
  ///   - first: The refresh token that was found; others may have put another in its place by now.
  ///   - seen: The access token that the cache held, if any.
  func refresh(
    at endpoint: any TokenEndpoint, with first: RefreshTokenInUse, seen: String?
  ) async throws -> TokenResult {
    let exchange = RefreshExchange(acquisition: self, endpoint: endpoint)
    return try await cache.backend.withRefreshLease(on: first.owner) {
      try await refreshOrReuse(exchange, holding: first.owner, seen: seen)
    }
  }

  /// Under a lease: takes what another app brought meanwhile, or redeems a refresh token.
  private func refreshOrReuse(
    _ exchange: RefreshExchange, holding lease: RecordKey, seen: String?
  ) async throws -> TokenResult {
    let document = try await readDocument()
    if let document, let found = cachedToken(in: document), found.validity == .fresh,
      !isBypassing || found.token.secret != seen
    {
      return try await deliver(found, from: document)
    }
    guard let own = document.flatMap(ownToken) else {
      return try await redeemFamilys(exchange, document, holding: lease, after: nil)
    }
    do {
      return try await exchange.run(own, seen: document)
    } catch let error as SecretStoreError where error.code == .interactionRequired {
      let refusal = RefreshExchange.Refusal(token: own, error: error)
      return try await redeemFamilys(exchange, document, holding: lease, after: refusal)
    }
  }

  /// Redeems the family's refresh token, unless it is the one that was refused already.
  private func redeemFamilys(
    _ exchange: RefreshExchange, _ document: CacheDocument?, holding lease: RecordKey,
    after refusal: RefreshExchange.Refusal?
  ) async throws -> TokenResult {
    guard let token = try await familyToken(document), token.secret != refusal?.token.secret else {
      throw refusal?.error ?? Self.interaction("The account was signed out meanwhile.")
    }
    if token.owner == lease { return try await exchange.run(token, after: refusal, seen: document) }
    return try await cache.backend.withRefreshLease(on: token.owner) {
      let document = try await readDocument()
      return try await redeemFamilys(exchange, document, holding: token.owner, after: refusal)
    }
  }

  /// The client's own refresh token.
  private func ownToken(in document: CacheDocument) -> RefreshTokenInUse? {
    best(in: document).map { RefreshTokenInUse(secret: $0.secret, owner: key) }
  }

  /// The refresh token of the client's family.
  private func familyToken(_ document: CacheDocument?) async throws -> RefreshTokenInUse? {
    guard let family = try await familyOfClient(document) else { return nil }
    let owner = RecordKey.family(
      homeAccountID: account.identifier, environment: aliases.canonical(account.environment), familyID: family
    )
    guard let shared = try await cache.backend.record(for: owner)?.document() else { return nil }
    return best(in: shared).map { RefreshTokenInUse(secret: $0.secret, owner: owner) }
  }

  /// Outside Azure AD, issuers of one host differ by their path, and one's token is never sent to another.
  private func best(in document: CacheDocument) -> CredentialEntry? {
    CredentialQuery([.refreshToken, .familyRefreshToken]).matches(in: document.credentials).first { token in
      asked.kind != .openID || token.realm == nil || token.realm == asked.realm
    }
  }

  /// The client's family: as its metadata says, and family `1` for a client that nothing is known of in an
  /// environment that has families.
  private func familyOfClient(_ document: CacheDocument?) async throws -> String? {
    guard asked.kind == .aad else { return nil }
    func family(in document: CacheDocument?) -> String? {
      document?.appMetadata.first { $0.clientID.lowercased() == cache.clientID.lowercased() }?.familyID
    }
    if let known = family(in: document) { return known.isEmpty ? nil : known }
    let client = try await cache.backend.record(for: clientRecord)?.document()
    let known = family(in: client) ?? "1"
    return known.isEmpty ? nil : known
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
