// SPDX-License-Identifier: MIT

public import ADALCache
public import Foundation
public import SecretStoreCache

/// The former core library of Contoso's apps, which uses ADAL: it requests a resource and identifies users by user
/// ids.
///
/// It remains until every app of the suite uses ``PublicClient``.
public struct ADALClient: Sendable {
  private let cache: ADALTokenCache
  private let flow: AuthorizationCodeFlow

  /// Opens the token cache of the app's sharing group.
  ///
  /// This makes no call to the Secret Service.
  ///
  /// - Parameters:
  ///   - entitlements: The app's entitlements.
  ///   - clientID: The client id. The apps of a suite share one.
  ///   - authority: Azure AD, or a provider that responds in the same way.
  ///   - generation: The ADAL version that the app was built with.
  ///   - redirectURI: The app's own redirect URI: `http://127.0.0.1:PORT/PATH`, or a URI with a scheme that the
  ///     desktop opens with the app, such as `msauth.<app id>://auth`.
  ///   - expiryBuffer: How many seconds before its expiry a token is treated as expired.
  ///   - store: The Secret Service. Share one store between several clients of an app.
  ///   - onStray: A function that is called with the reason when a URL that the desktop opened is ignored.
  public init(
    entitlements: AppEntitlements, clientID: String, authority: Authority, generation: ADALGeneration,
    redirectURI: String, expiryBuffer: TimeInterval = 300, store: SecretStore = SecretStore(),
    onStray: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(SecretStoreError) {
    let endpoint = HTTPTokenEndpoint(issuer: authority.url.absoluteString)
    var options = TokenCacheOptions()
    options.expiryBuffer = expiryBuffer
    self.cache = ADALTokenCache(
      backend: try store.backend(for: entitlements), app: entitlements.app, clientID: clientID,
      authority: authority, generation: generation, endpoint: endpoint, options: options)
    self.flow = AuthorizationCodeFlow(
      endpoint: endpoint, clientID: clientID, redirect: try Redirect(redirectURI, for: entitlements.app),
      onStray: onStray)
  }

  /// Signs a user in with the browser.
  public func signIn(resource: String) async throws -> ADALResult {
    try await cache.save(flow.signIn(resource: resource), resource: resource)
  }

  /// Acquires a token without prompting the user; `nil` stands for the only user.
  public func acquireTokenSilent(resource: String, userID: String? = nil) async throws -> ADALResult {
    try await cache.acquireTokenSilent(resource: resource, userID: userID)
  }

  /// Returns the signed-in users.
  public func users() async throws -> [ADALUser] { try await cache.users() }

  /// Signs out this app and no other.
  public func signOut(userID: String) async throws { try await cache.signOut(userID: userID) }
}
