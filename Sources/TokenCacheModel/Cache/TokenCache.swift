// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The accounts and tokens that apps of one access group share, as one app of one client sees them.
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
/// It holds no state of its own: each call reads what is stored now, so a sibling's sign-in is seen by the very
/// next call. It is a value; make as many as you like.
public struct TokenCache: Sendable {
  /// Where the records are kept.
  public let backend: any TokenCacheBackend
  /// The app that is acting; sign-in state is kept for each app.
  ///
  /// `nil` stands for the person at the keyboard, as a tool acts for: then no app's sign-in state is looked at
  /// or changed.
  public let app: AppIdentifier?
  /// The client id that tokens are issued to.
  public let clientID: String
  /// The authority that calls use when they name none.
  public let authority: Authority
  /// Where refresh requests are sent; without one, silent calls are answered from the cache only.
  public let endpoint: (any TokenEndpoint)?
  /// How it behaves where MSAL's differ or can be told.
  public internal(set) var options: TokenCacheOptions

  /// Makes a cache over a back end.
  ///
  /// - Parameters:
  ///   - backend: Where the records are kept.
  ///   - app: The app that is acting; `nil` for the person at the keyboard.
  ///   - clientID: The client id that tokens are issued to; apps of one suite may share it.
  ///   - authority: The authority that calls use when they name none.
  ///   - endpoint: Where refresh requests are sent; `nil` for cache only.
  ///   - options: How it behaves where MSAL's differ or can be told.
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

  /// The record of an account's tokens for this client.
  func key(_ account: Account, _ aliases: EnvironmentAliases) -> RecordKey {
    .credentials(
      homeAccountID: account.identifier, environment: aliases.canonical(account.environment),
      clientID: clientID)
  }

  var clock: any WallClock { options.clock }
}
