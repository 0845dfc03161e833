// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Which stored access token answers a request: one pure function, with a deterministic choice.
struct AccessTokenMatch {
  let environment: String
  /// The tenant, or `nil` for any.
  let realm: String?
  let scopes: Scopes
  let now: Date
  let expiryBuffer: TimeInterval

  /// The token to use: of several that fit, the one cached last, then the one whose key sorts first.
  func best(in document: CacheDocument) -> CredentialEntry? {
    document.credentials.filter(fits).min { left, right in
      let times = (left.cachedAt ?? .distantPast, right.cachedAt ?? .distantPast)
      return times.0 == times.1 ? left.key < right.key : times.0 > times.1
    }
  }

  private func fits(_ token: CredentialEntry) -> Bool {
    let identity = token.identity
    guard token.kind == .accessToken, identity.tokenType.isEmpty, identity.partition.isEmpty,
      CloudEnvironment.areSame(token.environment, environment)
    else { return false }
    if let realm, realm.lowercased() != (token.realm ?? "").lowercased() { return false }
    return wantedScopes.isSubset(of: token.scopes) && isValid(token)
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
