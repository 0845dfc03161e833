// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What an app states about itself.
public struct PublicClientConfiguration: Sendable {
  /// The client ID, which the apps of a suite share.
  public var clientID: String
  /// The OpenID provider, or Azure AD.
  public var authority: Authority
  /// The access group through which the app shares its sign-in; `nil` for the one that its entitlements imply.
  public var keychainSharingGroup: String?
  /// What the client can handle, such as `cp1` for claims challenges.
  public var clientCapabilities: [String] = []

  /// Creates a configuration.
  public init(clientID: String, authority: Authority) {
    self.clientID = clientID
    self.authority = authority
  }
}

/// A core library as a vendor writes it over the token cache, with the calls of MSAL.
///
/// An app handles two errors: `interactionRequired` by a new sign-in, `declinedScopes` by doing without these scopes.
public struct PublicClientApplication: Sendable {
  private let configuration: PublicClientConfiguration
  private let provider: Provider
  private let cache: TokenCache

  /// Opens the cache of the app's access group in the Secret Service.
  ///
  /// - Throws: `notEntitled` when the app does not list the group.
  public init(_ configuration: PublicClientConfiguration, for app: AppEntitlements) throws(SecretStoreError) {
    let backend = try SecretStore().backend(for: app, group: configuration.keychainSharingGroup)
    self.init(configuration, for: app, backend: backend, http: URLSessionClient())
  }

  /// Opens a cache in any back end, such as `InMemoryBackend` in tests.
  init(
    _ configuration: PublicClientConfiguration, for app: AppEntitlements, backend: any TokenCacheBackend,
    http: any HTTPClient
  ) {
    self.configuration = configuration
    self.provider = Provider(configuration.authority, http)
    var options = TokenCacheOptions()
    options.clientCapabilities = configuration.clientCapabilities
    self.cache = TokenCache(
      backend: backend, app: app, clientID: configuration.clientID, authority: configuration.authority,
      endpoint: provider, options: options)
  }

  /// Returns the accounts of this app, and of the apps of the group with the same client ID.
  public func allAccounts() async throws -> [Account] { try await cache.accounts() }

  /// Returns the account with an identifier; `nil` when there is none.
  public func account(identifier: String) async throws -> Account? {
    try await cache.account(identifier: identifier)
  }

  /// Returns the account with a user name; `nil` when there is none.
  ///
  /// - Throws: `ambiguousAccount` when there are several.
  public func account(username: String) async throws -> Account? {
    try await cache.account(username: username)
  }

  /// Signs a user in, who enters a code on any device (RFC 8628).
  ///
  /// - Parameters:
  ///   - claims: The claims that a resource asked for.
  ///   - show: Shows the code and the address at which to enter it.
  /// - Throws: `declinedScopes` when the server granted less than the scopes; `promptDismissed` when the user refused;
  ///   `interactionRequired` when the code expired.
  public func acquireToken(
    scopes: Scopes, claims: String? = nil, show: (DeviceCode) async throws -> Void
  ) async throws -> TokenResult {
    let claims = try cache.options.claims(adding: claims)
    let code = try await provider.deviceCode(configuration.clientID, scopes, claims: claims)
    try await show(code)
    let response = try await provider.redeem(code, configuration.clientID, claims: claims)
    return try await cache.acquireToken(from: response, scopes: scopes)
  }

  /// Returns a token from the cache, or by the refresh token that the apps of the group share.
  ///
  /// - Throws: `interactionRequired` when the user must sign in again; `declinedScopes`.
  public func acquireTokenSilent(
    scopes: Scopes, account: Account, claims: String? = nil, forceRefresh: Bool = false
  ) async throws -> TokenResult {
    var parameters = SilentParameters(scopes: scopes, account: account)
    parameters.claims = claims
    parameters.forceRefresh = forceRefresh
    return try await cache.acquireTokenSilent(parameters)
  }

  /// Signs this app out of an account; the group's other apps stay signed in, and the tokens go with the last one.
  public func removeAccount(_ account: Account) async throws { try await cache.signOut(account) }
}
