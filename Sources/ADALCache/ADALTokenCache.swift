// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel
public import UnifiedCache

/// The tokens that apps of one access group share, as an app that uses ADAL sees them.
///
/// ```swift
/// let cache = ADALTokenCache(
///   backend: backend, app: app.app, clientID: "contoso-suite",
///   authority: try Authority("https://login.microsoftonline.com/common"), endpoint: endpoint)
///
/// let result = try await cache.acquireTokenSilent(resource: "https://graph.windows.net", userID: "ada@contoso.com")
/// ```
///
/// Use it in ports of ADAL and in apps that have not moved to MSAL yet: they share sign-in with apps that have.
/// ADAL asks for a resource where MSAL asks for scopes, and identifies a user by an ID that is mostly an e-mail
/// address. Tokens are kept by authority, resource, client and user, in ADAL's own format. ``ADALGeneration`` says
/// what the cache does with MSAL's format.
///
/// The cache supports Azure AD and AD FS. It is a value without state of its own; create as many as you like.
public struct ADALTokenCache: Sendable {
  /// The back end that keeps the records.
  public let backend: any TokenCacheBackend
  /// The app that is acting; sign-in state is kept for each app.
  public let app: AppIdentifier
  /// The client ID that tokens are issued to.
  public let clientID: String
  /// The authority of calls that name none.
  public let authority: Authority
  /// The generation of ADAL that the cache behaves as.
  public let generation: ADALGeneration
  /// The endpoint for refresh requests; without one, silent calls use the cache only.
  public let endpoint: (any TokenEndpoint)?
  /// The cache's options.
  public let options: TokenCacheOptions

  /// Creates a cache over a back end.
  ///
  /// - Parameters:
  ///   - backend: The back end that keeps the records.
  ///   - app: The app that is acting.
  ///   - clientID: The client ID that tokens are issued to; apps of one suite may share it.
  ///   - authority: The authority of calls that name none.
  ///   - generation: The generation of ADAL that the cache behaves as.
  ///   - endpoint: The endpoint for refresh requests; `nil` to use the cache only.
  ///   - options: The cache's options.
  public init(
    backend: any TokenCacheBackend, app: AppIdentifier, clientID: String, authority: Authority,
    generation: ADALGeneration = .bothFormats, endpoint: (any TokenEndpoint)? = nil,
    options: TokenCacheOptions = TokenCacheOptions()
  ) {
    self.backend = backend
    self.app = app
    self.clientID = clientID
    self.authority = authority
    self.generation = generation
    self.endpoint = endpoint
    self.options = options
  }

  var store: ADALStore { ADALStore(backend: backend) }

  /// Returns the unified cache of the same client, as the app would see it with MSAL, without ADAL's items.
  func unified(_ authority: Authority) -> TokenCache {
    TokenCache(
      backend: backend, app: app, clientID: clientID, authority: authority, endpoint: endpoint,
      options: options
    ).withUnifiedFormatOnly
  }
}
