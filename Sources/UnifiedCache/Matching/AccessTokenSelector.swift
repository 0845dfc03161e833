// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// Selects the stored access token for a request.
///
/// The selection is deterministic.
package struct AccessTokenSelector {
  /// The usability of a stored access token.
  package enum Validity: Int, Sendable, Comparable {
    /// The token can be used.
    case fresh
    /// The token's `refresh_on` has passed: use it only if it can't be refreshed.
    case refreshDue
    /// The token has expired, but its extended lifetime has not: use it only while the server is unavailable.
    case extended

    package static func < (left: Validity, right: Validity) -> Bool { left.rawValue < right.rawValue }
  }

  /// Why an access token of the account and client can't be used.
  package enum Mismatch: String, CaseIterable, Sendable {
    case expired
    case otherScopes = "other scopes"
    case otherTenant = "another tenant"
    case otherClaims = "other claims"
    /// Another scheme or key, or it is reserved for another app or partition.
    case otherKind = "another kind"
    case cachedInFuture = "cached in the future"
  }

  package struct Found: Sendable {
    package let token: CredentialEntry
    package let validity: Validity
  }

  /// The conditions for the token, except its tenant.
  package let query: CredentialQuery
  /// The tenants whose tokens are accepted, compared without regard to case, the preferred one first; `nil` for any.
  package let realms: [String]?
  package let now: Date
  package let expiryBuffer: TimeInterval

  package init(query: CredentialQuery, realms: [String]?, now: Date, expiryBuffer: TimeInterval) {
    self.query = query
    self.realms = realms
    self.now = now
    self.expiryBuffer = expiryBuffer
  }

  /// Returns the token to use, or `nil` when none matches.
  ///
  /// Of several tokens it is the one with the best validity, then of the most preferred tenant, then the one that was
  /// cached last, then the one whose key sorts first.
  package func best(in document: CacheDocument) -> Found? {
    let fitting = document.credentials.compactMap { token -> Found? in
      guard isFitting(token) else { return nil }
      return validity(of: token).map { Found(token: token, validity: $0) }
    }
    return fitting.min { left, right in
      if left.validity != right.validity { return left.validity < right.validity }
      let ranks = (rank(left.token), rank(right.token))
      return ranks.0 == ranks.1 ? left.token.precedes(right.token) : ranks.0 < ranks.1
    }
  }

  /// Returns whether a token fits, whatever its age.
  package func isFitting(in document: CacheDocument) -> Bool {
    document.credentials.contains { isFitting($0) }
  }

  /// Returns how many of the account's and client's access tokens in a document can't be used, by the first reason.
  package func unusable(in document: CacheDocument) -> [(reason: Mismatch, count: Int)] {
    var any = CredentialQuery([.accessToken, .accessTokenWithAuthScheme])
    (any.homeAccountID, any.environments, any.owner) = (query.homeAccountID, query.environments, query.owner)
    let reasons = document.credentials.filter(any.matches).compactMap(mismatch)
    let counts = Dictionary(grouping: reasons) { $0 }.mapValues(\.count)
    return Mismatch.allCases.compactMap { reason in counts[reason].map { (reason, $0) } }
  }

  private func mismatch(of token: CredentialEntry) -> Mismatch? {
    var scopes = query
    scopes.target = .any
    var claims = scopes
    claims.requestedClaims = .any
    if !claims.matches(token) { return .otherKind }
    if !scopes.matches(token) { return .otherClaims }
    if !query.matches(token) { return .otherScopes }
    if rank(token) >= (realms?.count ?? 1) { return .otherTenant }
    if validity(of: token) != nil { return nil }
    return isFromFuture(token) ? .cachedInFuture : .expired
  }

  private func isFromFuture(_ token: CredentialEntry) -> Bool {
    token.cachedAt.map { $0.addingTimeInterval(-1) > now } ?? false
  }

  private func isFitting(_ token: CredentialEntry) -> Bool {
    query.matches(token) && rank(token) < (realms?.count ?? 1)
  }

  /// Returns the position of the token's tenant in `realms`, or the number of them if it is not one.
  private func rank(_ token: CredentialEntry) -> Int {
    guard let realms else { return 0 }
    let realm = (token.realm ?? "").lowercased()
    return realms.firstIndex { $0.lowercased() == realm } ?? realms.count
  }

  /// Returns the times at which the token is fresh, or `nil` when it never is.
  ///
  /// A token with a `cached_at` in the future (by more than a second) is not used: the clock was set back, so the
  /// token's times can't be trusted.
  package func freshTimes(of token: CredentialEntry) -> Range<Date>? {
    guard let expiresOn = token.expiresOn else { return nil }
    let begin = token.cachedAt?.addingTimeInterval(-1) ?? .distantPast
    // The token is still fresh at `refreshOn` itself.
    let due = token.refreshOn.map {
      Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.nextUp)
    }
    let end = min(expiresOn.addingTimeInterval(-expiryBuffer), due ?? .distantFuture)
    return begin < end ? begin..<end : nil
  }

  private func validity(of token: CredentialEntry) -> Validity? {
    guard let expiresOn = token.expiresOn else { return nil }
    if isFromFuture(token) { return nil }
    if freshTimes(of: token)?.contains(now) == true { return .fresh }
    if expiresOn.addingTimeInterval(-expiryBuffer) > now { return .refreshDue }
    if let extended = token.extendedExpiresOn, extended > now { return .extended }
    return nil
  }
}
