// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import UnifiedCache

/// The accounts and tokens of an access group, as one app and client see them.
///
/// ```swift
/// let cache = TokenCache(
///   backend: backend, app: app, clientID: "contoso-suite",
///   authority: try Authority("https://login.microsoftonline.com/common"), endpoint: endpoint)
///
/// for account in try await cache.accounts() {
///   let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
///   use(result.accessToken)
/// }
/// ```
///
/// It holds no tokens: each call reads the store, so the next call already sees another app's sign-in. It is a value;
/// make as many as you like.
public struct TokenCache: Sendable {
  /// The storage of the records.
  public let backend: any TokenCacheBackend
  /// The calling app, for which sign-in state is stored.
  ///
  /// `nil` stands for the user, for example in a command-line tool. Then no app's sign-in state is read or changed,
  /// except that a sign-out signs out all apps of the client.
  public let app: AppIdentifier?
  /// The client ID that tokens are issued to.
  public let clientID: String
  /// The authority of calls that name none.
  public let authority: Authority
  /// The sender of refresh requests; without one, silent calls use the cache only.
  public let endpoint: (any TokenEndpoint)?
  /// The options of this cache.
  public internal(set) var options: TokenCacheOptions

  /// The counts for ``TokenCacheOptions/telemetryAPI``.
  let telemetry = RequestTelemetry()

  /// Creates a cache over a back end.
  ///
  /// - Parameters:
  ///   - backend: The storage of the records.
  ///   - app: The calling app; `nil` for the user.
  ///   - clientID: The client ID that tokens are issued to; apps of one suite may share it.
  ///   - authority: The authority of calls that name none.
  ///   - endpoint: The sender of refresh requests; `nil` for silent calls from the cache only.
  ///   - options: The options of the cache.
  public init(
    backend: any TokenCacheBackend, app: AppIdentifier?, clientID: String, authority: Authority,
    endpoint: (any TokenEndpoint)? = nil, options: TokenCacheOptions = TokenCacheOptions()
  ) {
    self.backend = backend
    self.app = app
    self.clientID = clientID
    self.authority = authority
    self.endpoint = endpoint
    self.options = options
  }

  /// Creates a token cache for an app by its entitlements; see
  /// ``init(backend:app:clientID:authority:endpoint:options:)``.
  public init(
    backend: any TokenCacheBackend, app: AppEntitlements, clientID: String, authority: Authority,
    endpoint: (any TokenEndpoint)? = nil, options: TokenCacheOptions = TokenCacheOptions()
  ) {
    self.init(
      backend: backend, app: app.app, clientID: clientID, authority: authority, endpoint: endpoint,
      options: options)
  }

  /// Returns the key of an account's tokens for this client.
  package func key(_ account: Account, _ aliases: EnvironmentAliases) -> RecordKey {
    .credentials(
      homeAccountID: account.identifier, environment: aliases.canonical(account.storageEnvironment),
      clientID: clientID)
  }

  var clock: any WallClock { options.clock }
}
