// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Which stored access token answers a request: one pure function, with a deterministic choice.
struct AccessTokenMatch {
  let environment: String
  /// The tenants whose tokens fit, in any case, the preferred one first; `nil` for any.
  let realms: [String]?
  let scopes: Scopes
  let now: Date
  let expiryBuffer: TimeInterval

  /// The token to use: of several that fit, the one of the preferred tenant, then the one cached last, then the
  /// one whose key sorts first.
  func best(in document: CacheDocument) -> CredentialEntry? {
    document.credentials.filter(fits).min { left, right in
      let ranks = (rank(left), rank(right))
      if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
      let times = (left.cachedAt ?? .distantPast, right.cachedAt ?? .distantPast)
      return times.0 == times.1 ? left.key < right.key : times.0 > times.1
    }
  }

  private func fits(_ token: CredentialEntry) -> Bool {
    let identity = token.identity
    guard token.kind == .accessToken, identity.tokenType.isEmpty, identity.partition.isEmpty,
      CloudEnvironment.areSame(token.environment, environment)
    else { return false }
    guard rank(token) < (realms?.count ?? 1) else { return false }
    return wantedScopes.isSubset(of: token.scopes) && isValid(token)
  }

  /// Where the token's tenant stands among those that fit; behind all of them when it is not one.
  private func rank(_ token: CredentialEntry) -> Int {
    guard let realms else { return 0 }
    let realm = (token.realm ?? "").lowercased()
    return realms.firstIndex { $0.lowercased() == realm } ?? realms.count
  }

  /// The sign-in's own scopes do not tell tokens apart, unless nothing else was asked for.
  private var wantedScopes: Scopes {
    let resource = scopes.resourceScopes
    return resource.isEmpty ? scopes : resource
  }

  /// Not expired, and not cached in the future: then the clock was set back and the times say nothing.
  private func isValid(_ token: CredentialEntry) -> Bool {
    guard let expiresOn = token.expiresOn else { return false }
    if let cachedAt = token.cachedAt, cachedAt > now.addingTimeInterval(1) { return false }
    return expiresOn > now.addingTimeInterval(expiryBuffer)
  }
}
