// SPDX-License-Identifier: MIT

public import UnifiedCache

/// The known attributes of credentials to look for in a keychain; `nil` matches any value.
///
/// A keychain compares for equality only. For other criteria, such as a token with at least some scopes, leave the
/// attribute open and filter the results.
///
/// ```swift
/// var criteria = KeychainCredentialCriteria(kind: .refreshToken)
/// criteria.homeAccountID = account.identifier
/// criteria.environment = "login.windows.net"
/// criteria.clientID = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
/// KeychainItemQuery(criteria).isExactMatch  // true
/// ```
///
/// The description is redacted.
public struct KeychainCredentialCriteria: Sendable {
  /// The kind of credential, or `nil` for any.
  public var kind: CredentialKind?
  /// The account, `uid.utid` in Azure AD.
  ///
  /// A query uses it only together with ``environment``.
  public var homeAccountID: String?
  /// The host that the credentials were written under.
  ///
  /// A query uses it only together with ``homeAccountID``.
  public var environment: String?
  /// The client ID.
  public var clientID: String?
  /// The family, which replaces the client in the key.
  public var familyID: String?
  /// The tenant.
  public var realm: String?
  /// The scopes, in the order in which they were granted.
  public var target: String?
  /// The identifier of the app, where several apps share a client.
  public var applicationIdentifier: String?
  /// The authentication scheme of an access token; `nil` for a bearer token.
  public var tokenType: String?
  /// The claims that an access token was requested with.
  public var requestedClaims: String?
  /// Whether an item's scopes must equal ``target``, in the same order.
  public var isTargetExact = true
  /// Whether an item's client or family must equal the given one.
  ///
  /// If `false`, a query ignores both, except the client of an ID token.
  public var isClientExact = true

  /// Creates criteria for a kind that leave all else open.
  public init(kind: CredentialKind?) { self.kind = kind }
}

extension KeychainCredentialCriteria: CustomStringConvertible, CustomReflectable {
  /// A fixed text that shows nothing of the content.
  public var description: String { "KeychainCredentialCriteria(redacted)" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
