// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// What a silent call asks for.
///
/// ```swift
/// var parameters = SilentParameters(scopes: ["mail.read"], account: account)
/// parameters.claims = challenge  // from the `WWW-Authenticate` of a resource that refused the token
/// let result = try await cache.acquireTokenSilent(parameters)
/// ```
public struct SilentParameters: Sendable {
  /// The scopes that the token must have; at least one.
  ///
  /// The sign-in's own, such as `openid`, do not tell tokens apart.
  public var scopes: Scopes
  /// Whose token.
  public var account: Account
  /// The authority, where it is not the cache's own.
  ///
  /// `common`, `organizations` and `consumers` stand for the account's home tenant.
  public var authority: Authority?
  /// The tenant that the token must be of, by its id or a domain name, where that is not the authority's.
  public var tenant: String?
  /// Whether to pass over the access tokens in the cache.
  public var forceRefresh = false
  /// Claims that the token must be asked for with, as JSON (OpenID Connect Core 1.0 section 5.5).
  ///
  /// The cache is passed over then, and the token is kept apart from those of other claims.
  public var claims: String?
  /// How the token will be used.
  public var scheme = AccessTokenScheme.bearer

  /// What tells this call from others in the log and at the server, which is sent it as `client-request-id`; a new one
  /// when there is none.
  public var correlationID: UUID?

  /// The resource to ask for in place of scopes, as ADAL does.
  var resource: String?

  /// Refresh tokens that the server has refused just now, which are not sent again.
  var refused: Set<String> = []

  /// Asks for a bearer token of an account.
  public init(scopes: Scopes, account: Account) {
    self.scopes = scopes
    self.account = account
  }
}

extension SilentParameters: CustomStringConvertible, CustomReflectable {
  /// The scopes, and nothing of whose.
  public var description: String { "SilentParameters(scopes: \(scopes))" }

  /// Shows the scopes only.
  public var customMirror: Mirror { Mirror(self, children: ["scopes": scopes]) }
}
