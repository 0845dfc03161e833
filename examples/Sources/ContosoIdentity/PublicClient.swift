// SPDX-License-Identifier: MIT

public import Foundation
public import SecretStoreCache

/// The core library that Contoso's apps are built on: sign in once in one app, and the others are silent.
///
/// ```swift
/// let client = try PublicClient(
///   entitlements: entitlements, clientID: "contoso-suite", authority: try Authority("https://id.contoso.com"),
///   redirectURI: "http://127.0.0.1:8401/com.contoso.mail")
///
/// let account = try await client.account() ?? client.signIn(scopes: ["mail.read"])
/// let result = try await client.acquireTokenSilent(scopes: ["mail.read"], account: account)
/// ```
public struct PublicClient: Sendable {
  private let cache: TokenCache
  private let flow: AuthorizationCodeFlow

  /// Opens the token cache of the app's sharing group; no call is made for it.
  ///
  /// - Parameters:
  ///   - entitlements: What the app states about itself.
  ///   - group: The access group; `nil` for the app's sharing group.
  ///   - clientID: The client id; the apps of a suite share one.
  ///   - authority: The OpenID provider, or Azure AD.
  ///   - redirectURI: The app's own: `http://127.0.0.1:PORT/PATH`, or one with a scheme that the desktop opens
  ///     with the app, as `msauth.<app id>://auth`.
  ///   - expiryBuffer: How long before its expiry a token counts as expired, in seconds.
  ///   - seedsADAL: Whether apps of the suite that use ADAL before 2.7 are to find the sign-in.
  ///   - store: The Secret Service; share one if the app makes several clients.
  ///   - onStray: Called with why a URL that the desktop opened was passed over.
  /// - Throws: `notEntitled` when the app does not list the group, `invalidRedirectURI` for a malformed redirect
  ///   URI.
  public init(
    entitlements: AppEntitlements, group: String? = nil, clientID: String, authority: Authority,
    redirectURI: String, expiryBuffer: TimeInterval = 300, seedsADAL: Bool = false,
    store: SecretStore = SecretStore(),
    onStray: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(SecretStoreError) {
    let endpoint = HTTPTokenEndpoint(issuer: authority.url.absoluteString)
    var options = TokenCacheOptions()
    options.expiryBuffer = expiryBuffer
    options.seedsADAL = seedsADAL
    self.cache = try store.tokenCache(
      for: entitlements, group: group, clientID: clientID, authority: authority,
      endpoint: endpoint, options: options)
    self.flow = AuthorizationCodeFlow(
      endpoint: endpoint, clientID: clientID, redirect: try Redirect(redirectURI, for: entitlements.app),
      onStray: onStray)
  }

  /// Signs somebody in with the browser; from then on every app of the group has a token silently.
  ///
  /// - Throws: ``SignInError``, and a `SecretStoreError` when the provider or the cache fails.
  public func signIn(scopes: Scopes) async throws -> Account {
    try await cache.save(flow.signIn(scopes: scopes), scopes: scopes)
  }

  /// Gets a token without any interaction: from the cache, or with the refresh token that the apps share.
  ///
  /// - Throws: `interactionRequired` when somebody has to sign in; see `TokenCache.acquireTokenSilent`.
  public func acquireTokenSilent(scopes: Scopes, account: Account) async throws -> TokenResult {
    try await cache.acquireTokenSilent(scopes: scopes, account: account)
  }

  /// Who is signed in, in this app or in another one of the group that shares the client id.
  public func accounts() async throws -> [Account] { try await cache.accounts() }

  /// The account of a user name, or the only one there is; `nil` when nobody is signed in.
  ///
  /// - Throws: `ambiguousAccount` when there are several.
  public func account(username: String? = nil) async throws -> Account? {
    if let username { return try await cache.account(username: username) }
    return try await cache.account()
  }

  /// Signs this app out, and no other one; the tokens go with the last app that uses them.
  public func signOut(_ account: Account) async throws { try await cache.signOut(account) }
}
