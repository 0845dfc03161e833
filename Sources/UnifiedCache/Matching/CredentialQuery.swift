// SPDX-License-Identifier: MIT

import FoundationEssentials

/// A query for credentials.
///
/// A query without further conditions matches every credential of its kinds. Queries only read: no credential is ever
/// removed by a query.
package struct CredentialQuery: Sendable, Hashable {
  /// The kinds of credential.
  package var kinds: Set<CredentialKind>
  /// The account, or `nil` for any; an empty text for the client's own tokens.
  ///
  /// Azure AD IDs are compared without regard to case, others exactly.
  package var homeAccountID: String?
  /// The hosts that the entry may have been written under, or `nil` for any.
  package var environments: [String]?
  /// The tenant, compared without regard to case, or `nil` for any.
  ///
  /// Refresh tokens of Microsoft's authorities have no tenant, so a query with a tenant does not match them.
  package var realm: String?
  /// The owner of the credentials.
  package var owner = ClientMatch.any
  /// The scopes.
  package var target = ScopeMatch.any
  /// The authentication scheme of an access token, such as `pop` or `ssh-cert`, compared without regard to case.
  ///
  /// It is absent for bearer tokens.
  package var tokenType = ValueMatch.any
  /// The ID of the key that an access token is bound to.
  package var keyID = ValueMatch.any
  /// The claims with which an access token was requested.
  package var requestedClaims = ValueMatch.any
  /// The app that an access token is reserved for.
  package var applicationIdentifier = ValueMatch.any
  /// The caller's own partition that an access token is in; see `TokenCacheOptions.partition`.
  package var partition = ValueMatch.any
  /// The hash of the user assertion for which a service got the credential.
  package var userAssertionHash = ValueMatch.any
  /// The key by which another MSAL distinguishes an access token from others with the same scopes.
  package var extendedCacheKey = ValueMatch.any
  /// The redirect URI of the nested app that an access token is for.
  package var redirectURI = ValueMatch.any
  /// The device enrollment that an access token is for.
  package var enrollmentID = ValueMatch.any
  /// The device that a refresh token is bound to.
  package var boundDeviceID = ValueMatch.any

  /// Creates a query for all credentials of some kinds, by default of all kinds.
  package init(_ kinds: Set<CredentialKind> = Set(CredentialKind.allCases)) { self.kinds = kinds }

  /// Returns whether a credential satisfies the query.
  package func matches(_ entry: CredentialEntry) -> Bool {
    kinds.contains(entry.kind) && matchesAccount(entry) && matchesRealm(entry)
      && owner.matches(entry) && target.matches(entry) && lowercased(tokenType).matches(entry.scheme)
      && keyID.matches(entry.keyID) && requestedClaims.matches(entry.requestedClaims)
      && applicationIdentifier.matches(entry.applicationIdentifier)
      && partition.matches(entry.cachePartition) && userAssertionHash.matches(entry.userAssertionHash)
      && extendedCacheKey.matches(entry.extendedCacheKey) && redirectURI.matches(entry.text("redirect_uri"))
      && enrollmentID.matches(entry.text("enrollment_id")) && boundDeviceID.matches(entry.boundDeviceID)
  }

  /// Returns the credentials that satisfy the query, in a deterministic order.
  ///
  /// The credential that was cached last comes first. Credentials of the same time are sorted by key.
  package func matches(in entries: [CredentialEntry]) -> [CredentialEntry] {
    entries.filter(matches).sorted { $0.precedes($1) }
  }

  private func matchesAccount(_ entry: CredentialEntry) -> Bool {
    if let homeAccountID {
      let wanted = HomeAccountID(homeAccountID).compared
      if HomeAccountID(entry.homeAccountID).compared != wanted { return false }
    }
    guard let environments else { return true }
    return environments.contains { CloudEnvironment.areSame($0, entry.environment) }
  }

  private func matchesRealm(_ entry: CredentialEntry) -> Bool {
    guard let realm else { return true }
    return entry.realm?.lowercased() == realm.lowercased()
  }

  private func lowercased(_ matching: ValueMatch) -> ValueMatch {
    if case .equal(let value) = matching { .equal(value.lowercased()) } else { matching }
  }
}

extension CredentialQuery: CustomStringConvertible, CustomReflectable {
  /// The kinds, without the account.
  package var description: String { "CredentialQuery(\(kinds.map(\.rawValue).sorted()))" }

  /// A mirror with the kinds only.
  package var customMirror: Mirror { Mirror(self, children: ["kinds": kinds]) }
}

extension CredentialEntry {
  /// Returns whether this entry comes before another one: the one cached last first, then by key.
  func precedes(_ other: CredentialEntry) -> Bool {
    let times = (cachedAt ?? .distantPast, other.cachedAt ?? .distantPast)
    return times.0 == times.1 ? key < other.key : times.0 > times.1
  }
}
