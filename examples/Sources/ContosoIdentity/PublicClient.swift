// SPDX-License-Identifier: MIT

import ADALCache
public import Foundation
public import SecretStoreCache
import SecretStoreDiagnosis

/// The core library of Contoso's apps.
///
/// After a sign-in in one app, the others acquire tokens silently.
///
/// ```swift
/// let client = try PublicClient(
///   entitlements: entitlements, clientID: "contoso-suite", authority: try Authority("https://id.contoso.com"),
///   redirectURI: "http://127.0.0.1:8401/com.contoso.mail")
///
/// let result =
///   if let account = try await client.account() {
///     try await client.acquireTokenSilent(scopes: ["mail.read"], account: account)
///   } else {
///     try await client.signIn(scopes: ["mail.read"])
///   }
/// ```
public struct PublicClient: Sendable {
  private let cache: TokenCache
  private let flow: AuthorizationCodeFlow
  private let endpoint: HTTPTokenEndpoint
  private let store: SecretStore
  private let group: AccessGroup

  /// Opens the token cache of the app's sharing group.
  ///
  /// This makes no call to the Secret Service.
  ///
  /// - Parameters:
  ///   - entitlements: The app's entitlements.
  ///   - group: The access group; `nil` for the app's sharing group.
  ///   - clientID: The client id. The apps of a suite share one.
  ///   - authority: The OpenID provider, or Azure AD.
  ///   - redirectURI: The app's own redirect URI: `http://127.0.0.1:PORT/PATH`, or a URI with a scheme that the
  ///     desktop opens with the app, such as `msauth.<app id>://auth`.
  ///   - expiryBuffer: How many seconds before its expiry a token is treated as expired.
  ///   - seedsADAL: Whether sign-ins are also stored for apps of the suite that use ADAL before 2.7.
  ///   - store: The Secret Service. Share one store between several clients of an app.
  ///   - onStray: A function that is called with the reason when a URL that the desktop opened is ignored.
  /// - Throws: `notEntitled` when the app's entitlements do not list the group, `invalidRedirectURI` when the redirect
  ///   URI is malformed, belongs to another app, or has a scheme that the desktop does not open with the app.
  public init(
    entitlements: AppEntitlements, group: String? = nil, clientID: String, authority: Authority,
    redirectURI: String, expiryBuffer: TimeInterval = 300, seedsADAL: Bool = false,
    store: SecretStore = SecretStore(),
    onStray: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(SecretStoreError) {
    let endpoint = HTTPTokenEndpoint(issuer: authority.url.absoluteString)
    self.endpoint = endpoint
    self.store = store
    self.group = try group.map(entitlements.group) ?? entitlements.keychainSharingGroup
    var options = TokenCacheOptions()
    options.expiryBuffer = expiryBuffer
    options.sharesWithADAL = true
    options.seedsADAL = seedsADAL
    self.cache = try store.tokenCache(
      for: entitlements, group: group, clientID: clientID, authority: authority,
      endpoint: endpoint, options: options)
    self.flow = AuthorizationCodeFlow(
      endpoint: endpoint, clientID: clientID, redirect: try Redirect(redirectURI, for: entitlements.app),
      onStray: onStray)
  }

  /// Signs a user in with the browser.
  ///
  /// Afterwards every app of the group acquires tokens silently.
  ///
  /// - Returns: The token and its account, as a silent call returns them.
  /// - Throws: ``SignInError``; `declinedScopes` when the provider granted less than the scopes; or a
  ///   `SecretStoreError` of the provider.
  public func signIn(scopes: Scopes) async throws -> TokenResult {
    try await cache.acquireToken(from: flow.signIn(scopes: scopes), scopes: scopes)
  }

  /// Acquires a token without prompting the user, from the cache or with the refresh token that the apps share.
  ///
  /// - Parameters:
  ///   - scopes: The scopes that the token must have.
  ///   - account: The account that the token is for.
  ///   - forceRefresh: Whether to ignore the access tokens in the cache.
  /// - Throws: `interactionRequired` when the user must sign in; see `TokenCache.acquireTokenSilent`.
  public func acquireTokenSilent(
    scopes: Scopes, account: Account, forceRefresh: Bool = false
  ) async throws -> TokenResult {
    try await cache.acquireTokenSilent(scopes: scopes, account: account, forceRefresh: forceRefresh)
  }

  /// Requests the user's claims from the provider, with a token that is acquired silently.
  ///
  /// A token that the provider no longer accepts is refreshed once.
  ///
  /// - Throws: As ``acquireTokenSilent(scopes:account:forceRefresh:)``; `networkError` when the provider can't be
  ///   reached; `serverError` when it refuses the token, or its response is malformed or about another user.
  public func userInfo(scopes: Scopes, account: Account) async throws -> UserInfo {
    var token = try await acquireTokenSilent(scopes: scopes, account: account)
    var response = try await endpoint.userInfo(accessToken: token.accessToken)
    if response.status == 401 {
      token = try await acquireTokenSilent(scopes: scopes, account: account, forceRefresh: true)
      response = try await endpoint.userInfo(accessToken: token.accessToken)
    }
    guard response.status == 200 else {
      throw SecretStoreError(.serverError, "The response to userinfo has the status \(response.status).")
    }
    return try UserInfo(
      parsing: response.body, subject: token.account.claims?["sub"] ?? account.identifier)
  }

  /// Returns the accounts that are signed in to this app or to another app of the group with the same client id.
  public func accounts() async throws -> [Account] { try await cache.accounts() }

  /// Returns the account with a user name, or the only account; `nil` when nobody is signed in.
  ///
  /// - Throws: `ambiguousAccount` when there are several.
  public func account(username: String? = nil) async throws -> Account? {
    if let username { return try await cache.account(username: username) }
    return try await cache.account()
  }

  /// Signs out this app and no other.
  ///
  /// The tokens are removed with the last app that uses them.
  public func signOut(_ account: Account) async throws { try await cache.signOut(account) }

  /// Signs out every app of the group, whichever client id it has, and removes the account's tokens.
  public func signOutOfAllApps(_ account: Account) async throws {
    try await AccountDirectory(backend: cache.backend, sharesWithADAL: true)
      .signOut(account, recordedAs: cache.app?.name)
  }

  /// Returns the changes of the accounts in ``accounts()`` and of the group: a snapshot first; see `TokenCache.changes`.
  public func changes() -> GroupChanges { cache.changes() }

  /// Opens the group after the user has asked for it, with the desktop's own dialog if need be.
  ///
  /// - Parameter parentWindow: The window that the dialog belongs to; see `PromptPolicy`.
  /// - Throws: `promptDismissed` when the user closed the dialog, and the other errors of `SecretStore.unlockGroup`.
  public func openGroup(parentWindow: String) async throws {
    try await store.unlockGroup(
      group, promptPolicy: .allowed(parentWindow: parentWindow, timeLimit: .seconds(300), again: true))
  }

  /// Returns what `sso-cache doctor` advises against a problem of the group, or else against the first that it sees;
  /// `nil` when it sees none.
  public func remedy(for problem: SecretStoreError.Code) async -> String? {
    let checks = await store.diagnose([group]).checks
    return (checks.first { $0.code == problem } ?? checks.first { $0.status == .error })?.remedy
  }
}
