// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Which stored access token answers a request, and how good it is: one pure function, with a deterministic choice.
struct AccessTokenChoice {
  /// What a stored access token is good for.
  enum Validity: Int, Sendable, Comparable {
    /// To be used.
    case fresh
    /// To be used when it can't be refreshed: its `refresh_on` has passed.
    case refreshDue
    /// To be used only while the server is down: it has expired, but not its extended lifetime.
    case extended

    static func < (left: Validity, right: Validity) -> Bool { left.rawValue < right.rawValue }
  }

  struct Found: Sendable {
    let token: CredentialEntry
    let validity: Validity
  }

  /// What the token must be, but for its tenant.
  let query: CredentialQuery
  /// The tenants whose tokens fit, in any case, the preferred one first; `nil` for any.
  let realms: [String]?
  let now: Date
  let expiryBuffer: TimeInterval

  /// The token to use: of several that fit, the most valid, then the one of the preferred tenant, then the one
  /// cached last, then the one whose key sorts first.
  func best(in document: CacheDocument) -> Found? {
    let fitting = document.credentials.compactMap { token -> Found? in
      guard query.matches(token), rank(token) < (realms?.count ?? 1) else { return nil }
      return validity(of: token).map { Found(token: token, validity: $0) }
    }
    return fitting.min { left, right in
      if left.validity != right.validity { return left.validity < right.validity }
      let ranks = (rank(left.token), rank(right.token))
      return ranks.0 == ranks.1 ? left.token.precedes(right.token) : ranks.0 < ranks.1
    }
  }

  /// Where the token's tenant stands among those that fit; behind all of them when it is not one.
  private func rank(_ token: CredentialEntry) -> Int {
    guard let realms else { return 0 }
    let realm = (token.realm ?? "").lowercased()
    return realms.firstIndex { $0.lowercased() == realm } ?? realms.count
  }

  /// When the token is fresh; `nil` when it never is.
  ///
  /// A token that was cached in the future is good for nothing: the clock was set back, and its times say nothing.
  func freshTimes(of token: CredentialEntry) -> Range<Date>? {
    guard let expiresOn = token.expiresOn else { return nil }
    let begin = token.cachedAt?.addingTimeInterval(-1) ?? .distantPast
    // At that moment itself it is not yet passed.
    let due = token.refreshOn.map {
      Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.nextUp)
    }
    let end = min(expiresOn.addingTimeInterval(-expiryBuffer), due ?? .distantFuture)
    return begin < end ? begin..<end : nil
  }

  private func validity(of token: CredentialEntry) -> Validity? {
    guard let expiresOn = token.expiresOn else { return nil }
    if let cachedAt = token.cachedAt, cachedAt.addingTimeInterval(-1) > now { return nil }
    if freshTimes(of: token)?.contains(now) == true { return .fresh }
    if expiresOn.addingTimeInterval(-expiryBuffer) > now { return .refreshDue }
    if let extended = token.extendedExpiresOn, extended > now { return .extended }
    return nil
  }
}
