// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel
public import UnifiedCache

/// A token that was acquired, from the cache or from a server's response, and how.
///
/// Its description does not show the token.
public struct TokenResult: Sendable {
  /// The origin of a token.
  public enum Source: String, Sendable {
    /// The cache held the token.
    case cache
    /// A refresh returned the token.
    case refresh
    /// The identity broker returned the token.
    case broker
    /// The response to a sign-in had the token.
    case signIn
  }

  /// The reason why a silent call asked the server.
  public enum RefreshReason: String, Sendable {
    /// The cache had no token for the request.
    case noAccessToken
    /// The token in the cache has expired.
    case expired
    /// The token's `refresh_on` has passed.
    case refreshDue
    /// The caller forced a refresh.
    case forced
    /// The caller requested claims.
    case claims
  }

  /// The access token, for the `Authorization` header.
  public let accessToken: String
  /// `Bearer`, or the scheme of a token that is bound to a key.
  public let tokenType: String
  /// The time at which the token expires.
  public let expiresOn: Date
  /// The scopes that were granted.
  public let scopes: Scopes
  /// The tenant that issued the token.
  public let tenant: String
  /// The account that the token is for.
  public private(set) var account: Account
  /// The origin of the token.
  public let source: Source
  /// The account's ID token for the tenant, if one is stored; it is not verified.
  public let idToken: String?
  /// Whether the token has expired but is within its extended lifetime, because the server is down.
  public let isExtendedLifetime: Bool
  /// The error when the result could not be saved completely; `nil` when it was.
  ///
  /// The token itself is valid. After a refresh, the token was not stored or an ``ExternalAccountProvider`` failed. For
  /// a token from the cache, the app could not be recorded as using the account.
  public let saveError: SecretStoreError?
  /// The ID of the call, which is also in the log and in the headers of the requests that the cache sends.
  public internal(set) var correlationID: UUID
  /// Why the call asked the server; `nil` when it did not.
  public internal(set) var refreshReason: RefreshReason?
  /// The error of the refresh in spite of which the cache's token is returned; `nil` when there was none.
  public internal(set) var refreshError: SecretStoreError?
  /// The time that the call took; zero for a result that was kept in memory.
  public internal(set) var duration: Duration
  /// The part of ``duration`` for which the call waited for the token endpoint or the broker, whether or not that sent
  /// a token.
  public internal(set) var endpointDuration: Duration
  /// The response that contained the token; `nil` for a token from the cache or a broker.
  ///
  /// With a ``saveError``, it may hold the only copy of its refresh token: pass it to
  /// ``TokenCache/save(_:scopes:authority:claims:keyID:)`` once the error's cause is mended.
  public let response: TokenResponse?
  /// Whether the group has the response's refresh token in spite of a ``saveError``, as far as is known.
  var keepsRefreshToken = false

  init(
    _ token: CredentialEntry, idToken: String?, account: Account, source: Source,
    isExtendedLifetime: Bool = false, saveError: SecretStoreError? = nil, response: TokenResponse? = nil
  ) {
    self.init(
      accessToken: token.secret, tokenType: token.tokenType ?? "Bearer",
      expiresOn: token.expiresOn ?? .distantPast,
      scopes: token.scopes, tenant: token.realm ?? "", account: account, source: source, idToken: idToken,
      saveError: saveError, isExtendedLifetime: isExtendedLifetime, response: response)
  }

  /// Creates a result, for tests and previews of an app.
  ///
  /// Without a `correlationID` it gets a new one.
  public init(
    accessToken: String, tokenType: String = "Bearer", expiresOn: Date, scopes: Scopes, tenant: String = "",
    account: Account, source: Source = .cache, idToken: String? = nil, saveError: SecretStoreError? = nil,
    isExtendedLifetime: Bool = false, correlationID: UUID? = nil, refreshReason: RefreshReason? = nil,
    refreshError: SecretStoreError? = nil, duration: Duration = .zero, endpointDuration: Duration = .zero,
    response: TokenResponse? = nil
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresOn = expiresOn
    self.scopes = scopes
    self.tenant = tenant
    self.account = account
    self.source = source
    self.idToken = idToken
    self.isExtendedLifetime = isExtendedLifetime
    self.saveError = saveError
    self.correlationID = correlationID ?? CorrelationID.next()
    self.refreshReason = refreshReason
    self.refreshError = refreshError
    self.duration = duration
    self.endpointDuration = endpointDuration
    self.response = response
  }

  /// Returns the same token for another call, with the account as its caller knows it.
  func with(_ account: Account, _ correlationID: UUID) -> TokenResult {
    var result = self
    result.account = account
    result.correlationID = correlationID
    result.duration = .zero
    return result
  }
}

extension TokenResult.RefreshReason {
  /// The number of the reason in the MSALs' telemetry.
  var telemetryCode: Int {
    switch self {
    case .forced, .claims: 1
    case .noAccessToken: 2
    case .expired: 3
    case .refreshDue: 4
    }
  }
}

extension TokenResult: CustomStringConvertible, CustomReflectable {
  /// The origin and the expiry time, without the token.
  public var description: String { "TokenResult(source: \(source.rawValue), expiresOn: \(expiresOn))" }

  /// A mirror that shows the origin only.
  public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
