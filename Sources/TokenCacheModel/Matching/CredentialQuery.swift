// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Which credentials are asked for: the one pure matching function behind every look-up.
///
/// A query that says nothing matches every credential of the kinds it names. It is for reading only: nothing is
/// ever removed by a query.
///
/// ```swift
/// var query = CredentialQuery([.accessToken])
/// query.target = .subset(["mail.read"])
/// let tokens = query.matches(in: document.credentials)  // the one cached last comes first
/// ```
public struct CredentialQuery: Sendable, Hashable {
  /// The kinds of credential.
  public var kinds: Set<CredentialKind>
  /// The account; `nil` for any.
  ///
  /// Azure AD's ids are compared in any case, others exactly.
  public var homeAccountID: String?
  /// The hosts under which the entry may have been written; `nil` for any.
  public var environments: [String]?
  /// The tenant, in any case; `nil` for any.
  ///
  /// A refresh token has none: asking for one with a tenant finds nothing.
  public var realm: String?
  /// Whose credentials.
  public var owner = OwnerMatching.any
  /// The scopes.
  public var target = TargetMatching.any
  /// The scheme of an access token, such as `pop` or `ssh-cert`, in any case; absent for bearer tokens.
  public var tokenType = FieldMatching.any
  /// The key that an access token is bound to.
  public var keyID = FieldMatching.any
  /// The claims that an access token was asked for with.
  public var requestedClaims = FieldMatching.any
  /// The app that an access token was partitioned for.
  public var applicationIdentifier = FieldMatching.any
  /// The key by which a peer keeps an access token apart from those of the same scopes.
  public var extendedCacheKey = FieldMatching.any
  /// The redirect URI of a nested app that an access token is for.
  public var redirectURI = FieldMatching.any
  /// The device enrolment that an access token is for.
  public var enrollmentID = FieldMatching.any
  /// The device that a refresh token is bound to.
  public var boundDeviceID = FieldMatching.any

  /// Makes a query for all credentials of some kinds; for all kinds when none is named.
  public init(_ kinds: Set<CredentialKind> = Set(CredentialKind.allCases)) { self.kinds = kinds }

  /// Whether a credential is one of those asked for.
  public func matches(_ entry: CredentialEntry) -> Bool {
    kinds.contains(entry.kind) && matchesAccount(entry) && matchesRealm(entry)
      && owner.matches(entry) && target.matches(entry) && lowercased(tokenType).matches(entry.scheme)
      && keyID.matches(entry.keyID) && requestedClaims.matches(entry.requestedClaims)
      && applicationIdentifier.matches(entry.applicationIdentifier)
      && extendedCacheKey.matches(entry.extendedCacheKey) && redirectURI.matches(entry.text("redirect_uri"))
      && enrollmentID.matches(entry.text("enrollment_id")) && boundDeviceID.matches(entry.boundDeviceID)
  }

  /// The credentials asked for: the one cached last first, then by key, so that the choice is always the same.
  public func matches(in entries: [CredentialEntry]) -> [CredentialEntry] {
    entries.filter(matches).sorted { $0.precedes($1) }
  }

  private func matchesAccount(_ entry: CredentialEntry) -> Bool {
    if let homeAccountID {
      let wanted = RecordKey.comparedAccount(homeAccountID)
      if RecordKey.comparedAccount(entry.homeAccountID) != wanted { return false }
    }
    guard let environments else { return true }
    return environments.contains { CloudEnvironment.areSame($0, entry.environment) }
  }

  private func matchesRealm(_ entry: CredentialEntry) -> Bool {
    guard let realm else { return true }
    return entry.realm?.lowercased() == realm.lowercased()
  }

  private func lowercased(_ matching: FieldMatching) -> FieldMatching {
    if case .equal(let value) = matching { .equal(value.lowercased()) } else { matching }
  }
}

extension CredentialQuery: CustomStringConvertible, CustomReflectable {
  /// The kinds, and nothing of whose.
  public var description: String { "CredentialQuery(\(kinds.map(\.rawValue).sorted()))" }

  /// Shows the kinds only.
  public var customMirror: Mirror { Mirror(self, children: ["kinds": kinds]) }
}

extension CredentialEntry {
  /// The order of several that fit: cached last, then the key that sorts first.
  func precedes(_ other: CredentialEntry) -> Bool {
    let times = (cachedAt ?? .distantPast, other.cachedAt ?? .distantPast)
    return times.0 == times.1 ? key < other.key : times.0 > times.1
  }
}
