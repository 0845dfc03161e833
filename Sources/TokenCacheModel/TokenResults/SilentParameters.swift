// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import UnifiedCache

/// The parameters of a silent call.
///
/// ```swift
/// var parameters = SilentParameters(scopes: ["mail.read"], account: account)
/// parameters.claims = challenge  // from the `WWW-Authenticate` of a resource that refused the token
/// let result = try await cache.acquireTokenSilent(parameters)
/// ```
public struct SilentParameters: Sendable {
  /// The scopes that the token must have; at least one.
  ///
  /// OpenID Connect's own scopes, such as `openid`, do not tell tokens apart.
  public var scopes: Scopes
  /// The account that the token is for.
  public var account: Account
  /// The authority, if it is not the cache's own.
  public var authority: Authority?
  /// The tenant that must have issued the token, as an ID or a domain name, if it is not the authority's.
  public var tenant: String?
  /// Whether the call ignores the access tokens in the cache.
  public var forceRefresh = false
  /// The claims to request, as JSON (OpenID Connect Core 1.0 section 5.5).
  ///
  /// A call with claims ignores the access tokens in the cache. Its token is stored apart from those for other claims.
  public var claims: String?
  /// How the token will be used.
  public var scheme = AccessTokenScheme.bearer

  /// More fields of the token request, such as `dc` for a data center.
  ///
  /// A name of one of the request's own fields is an error. The fields do not tell tokens in the cache apart: use
  /// ``TokenCacheOptions/partition`` where they lead to other tokens.
  public var extraParameters: [(name: String, value: String)] = []

  /// The ID of the call in the log and, as `client-request-id`, at the server; `nil` for a new one.
  public var correlationID: UUID?

  /// The resource to request instead of scopes, as ADAL does.
  package var resource: String?

  /// Refresh tokens that the server has just refused and that the call does not send again.
  package var refused: Set<String> = []

  /// Creates parameters that ask for a bearer token of an account.
  public init(scopes: Scopes, account: Account) {
    self.scopes = scopes
    self.account = account
  }
}

extension SilentParameters: CustomStringConvertible, CustomReflectable {
  /// The scopes, without the account.
  public var description: String { "SilentParameters(scopes: \(scopes))" }

  /// A mirror that shows the scopes only.
  public var customMirror: Mirror { Mirror(self, children: ["scopes": scopes]) }
}
