// SPDX-License-Identifier: MIT

public import Foundation
public import SecretStoreCache

/// What Contoso's apps were built on before: the same sign-in over ADAL, which asks for a resource and names people by
/// their user ids.
///
/// It stays for as long as one app of the suite has not moved to ``PublicClient``.
public struct ADALClient: Sendable {
  private let cache: ADALTokenCache
  private let flow: AuthorizationCodeFlow

  /// Opens the token cache of the app's sharing group; no call is made for it.
  ///
  /// - Parameters:
  ///   - entitlements: What the app states about itself.
  ///   - clientID: The client id; the apps of a suite share one.
  ///   - authority: Azure AD, or what answers as it does.
  ///   - generation: Which ADAL the app was built with.
  ///   - redirectURI: The app's own: `http://127.0.0.1:PORT/PATH`, or one with a scheme that the desktop opens
  ///     with the app, as `msauth.<app id>://auth`.
  ///   - expiryBuffer: How long before its expiry a token counts as expired, in seconds.
  ///   - store: The Secret Service; share one if the app makes several clients.
  ///   - onStray: Called with why a URL that the desktop opened was passed over.
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

  /// Signs somebody in with the browser.
  public func signIn(resource: String) async throws -> ADALResult {
    try await cache.save(flow.signIn(resource: resource), resource: resource)
  }

  /// Gets a token without any interaction; `nil` stands for the only user there is.
  public func acquireTokenSilent(resource: String, userID: String? = nil) async throws -> ADALResult {
    try await cache.acquireTokenSilent(resource: resource, userID: userID)
  }

  /// Who is signed in.
  public func users() async throws -> [ADALUser] { try await cache.users() }

  /// Signs this app out, and no other one.
  public func signOut(userID: String) async throws { try await cache.signOut(userID: userID) }
}
