// SPDX-License-Identifier: MIT

/// What is known of the credentials that are looked for in a keychain; what is `nil` is left open.
///
/// A keychain finds equal values only. Whoever wants more, a token that has some scopes among others, leaves
/// the part open and chooses from what is found, as by a ``CredentialQuery``.
///
/// ```swift
/// var criteria = KeychainCredentialCriteria(kind: .refreshToken)
/// criteria.homeAccountID = account.identifier
/// criteria.environment = "login.windows.net"
/// criteria.clientID = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
/// KeychainItemQuery(criteria).isExactMatch  // true
/// ```
///
/// Its description shows none of it.
public struct KeychainCredentialCriteria: Sendable {
  /// The kind of credential, or `nil` for any.
  public var kind: CredentialKind?
  /// The account, `uid.utid` in Azure AD.
  ///
  /// It is of use to a query only together with ``environment``.
  public var homeAccountID: String?
  /// The host that the credentials were written under.
  ///
  /// It is of use to a query only together with ``homeAccountID``.
  public var environment: String?
  /// The client.
  public var clientID: String?
  /// The family, which takes the client's place.
  public var familyID: String?
  /// The tenant.
  public var realm: String?
  /// The scopes in the order in which they were granted.
  public var target: String?
  /// The app among several that share a client.
  public var applicationIdentifier: String?
  /// The scheme of an access token; `nil` for a bearer token.
  public var tokenType: String?
  /// The claims that an access token was issued for.
  public var requestedClaims: String?
  /// Whether an item's scopes must be just ``target``, in this order.
  public var isTargetExact = true
  /// Whether an item's client or family must be just the one given.
  ///
  /// If not, both are left open, but for an id token's client.
  public var isClientExact = true

  /// Makes criteria that leave all but the kind open.
  public init(kind: CredentialKind?) { self.kind = kind }
}

extension KeychainCredentialCriteria: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "KeychainCredentialCriteria(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
