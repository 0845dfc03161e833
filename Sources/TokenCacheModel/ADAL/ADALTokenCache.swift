// SPDX-License-Identifier: MIT

public import KeychainGroupModel

/// The tokens that apps of one access group share, as an app that uses ADAL sees them.
///
/// ```swift
/// let cache = ADALTokenCache(
///   backend: backend, app: app, clientID: "contoso-suite",
///   authority: try Authority("https://login.microsoftonline.com/common"), endpoint: endpoint)
///
/// let result = try await cache.acquireTokenSilent(resource: "https://graph.windows.net", userID: "ada@contoso.com")
/// ```
///
/// It is for ports of ADAL, and for apps that have not moved to MSAL yet: they share sign-in with those that have. ADAL
/// asks for a resource where MSAL asks for scopes, and names users by an id that is mostly an e-mail address. Tokens are
/// kept by authority, resource, client and user, in ADAL's own format; ``ADALGeneration`` says what it knows of MSAL's.
///
/// It is for Azure AD and AD FS. It holds no state of its own and is a value; make as many as you like.
public struct ADALTokenCache: Sendable {
  /// Where the records are kept.
  public let backend: any TokenCacheBackend
  /// The app that is acting; sign-in state is kept for each app.
  public let app: AppIdentifier
  /// The client id that tokens are issued to.
  public let clientID: String
  /// The authority that calls use when they name none.
  public let authority: Authority
  /// Which generation of ADAL it behaves as.
  public let generation: ADALGeneration
  /// Where refresh requests are sent; without one, silent calls are answered from the cache only.
  public let endpoint: (any TokenEndpoint)?
  /// How it behaves where it can be told.
  public let options: TokenCacheOptions

  /// Makes a cache over a back end.
  ///
  /// - Parameters:
  ///   - backend: Where the records are kept.
  ///   - app: The app that is acting.
  ///   - clientID: The client id that tokens are issued to; apps of one suite may share it.
  ///   - authority: The authority that calls use when they name none.
  ///   - generation: Which generation of ADAL it behaves as.
  ///   - endpoint: Where refresh requests are sent; `nil` for cache only.
  ///   - options: How it behaves where it can be told.
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

  /// The unified cache of the same client, as the app would see it with MSAL, without ADAL's items.
  func unified(_ authority: Authority) -> TokenCache {
    TokenCache(
      backend: backend, app: app, clientID: clientID, authority: authority, endpoint: endpoint,
      options: options
    ).withUnifiedFormatOnly
  }
}
