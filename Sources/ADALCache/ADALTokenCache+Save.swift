// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel
public import UnifiedCache

extension ADALTokenCache {
  /// Saves the token response of a sign-in, and marks this app as signed in, even if the task is cancelled.
  ///
  /// A response that names its `resource`, as Azure AD's version 1 endpoint does, brings a refresh token for every
  /// resource, and with `foci` one for every client of the family. In any other response, such as AD FS's, the
  /// refresh token is for the requested resource only. With ``ADALGeneration/bothFormats``, a response with both
  /// `resource` and `client_info` is also saved in MSAL's format: the refresh token, the account and the client's
  /// metadata.
  ///
  /// - Parameters:
  ///   - response: The token endpoint's response.
  ///   - resource: The requested resource, used when the response names none.
  ///   - authority: The authority that sent the response; `nil` for the cache's own.
  /// - Returns: The token. Its `saveError` says why it could not be stored in MSAL's format, if so.
  /// - Throws: `invalidResponse` when the response has no access token, its ID token is of another issuer or for
  ///   another client, an identifier holds a control character, or the stored record can't be read; `invalidArgument`
  ///   for a resource that is empty or holds white space or another character not allowed in a scope; and errors of the
  ///   back end.
  @discardableResult
  public func save(
    _ response: TokenResponse, resource: String, authority: Authority? = nil
  ) async throws -> ADALResult {
    try Self.check(resource: resource)
    let task = Task { try await saved(response, resource: resource, authority: authority) }
    return try await task.value
  }

  private func saved(
    _ response: TokenResponse, resource: String, authority: Authority?
  ) async throws -> ADALResult {
    let authority = authority ?? self.authority
    let context = context(authority, resource, in: try await environment(authority))
    response.logOddMembers(at: context.now, to: options.logger)
    if response.hasForeignIDToken(for: clientID, at: context.authority) { throw TokenEntries.foreignIDToken }
    let user = user(response)
    let isMultiResource = response.resource != nil
    let items = ADALItems(
      response, resource: resource, of: user, context, isMultiResource: isMultiResource)
    guard ADALResult(items.accessToken, user: user, source: .refresh) != nil else {
      throw SecretStoreError(.invalidResponse, "The token response holds no access token.")
    }
    try await store.save(items.all, for: app)
    let error = isMultiResource ? await saveUnified(response, context, isSignIn: true) : nil
    guard let result = ADALResult(items.accessToken, user: user, source: .refresh, saveError: error) else {
      throw SecretStoreError(.invalidResponse, "The token response holds no access token.")
    }
    return result
  }

  /// Returns the user of a response; without the home account ID if the generation doesn't know it.
  ///
  /// - Parameter known: The user whose refresh token was redeemed, for a response that names no user.
  func user(_ response: TokenResponse, known: ADALUser? = nil) -> ADALUser? {
    let user = ADALUser(response, known: known)
    return generation == .bothFormats ? user : user.map { ADALUser(userID: $0.userID, homeAccountID: nil) }
  }

  /// Returns the environment under which MSAL's format has an authority's accounts.
  func environment(_ authority: Authority) async throws -> String {
    ResponseContext.environment(authority, try await unified(authority).aliases(for: authority))
  }

  func context(_ authority: Authority, _ resource: String, in environment: String) -> ResponseContext {
    ResponseContext(
      clientID: clientID, authority: authority, environment: environment, scopes: Self.scopes(resource),
      applicationIdentifier: options.applicationIdentifier, now: options.clock.now())
  }

  /// Saves the refresh token, which is for all resources, the account and the client's metadata in MSAL's format.
  ///
  /// - Parameter isSignIn: Whether the user signed in interactively. If not, an app that signed out stays signed
  ///   out, and a save that fails for a moment is tried again.
  /// - Returns: The error that prevented it; `nil` on success, and when there is nothing to save.
  func saveUnified(
    _ response: TokenResponse, _ context: ResponseContext, isSignIn: Bool
  ) async -> SecretStoreError? {
    guard generation == .bothFormats, response.clientInfo != nil else { return nil }
    do {
      let entries = try TokenEntries(response, context).withoutTokensOfResources
      if isSignIn {
        try await store(entries, context.authority, isSignIn: true)
      } else {
        try await PersistentSave.run(in: backend, retryingAfter: options.retryDelay) {
          try await store(entries, context.authority, isSignIn: false)
        }
      }
      return nil
    } catch {
      return error as? SecretStoreError
        ?? SecretStoreError(.storageFailed, "MSAL's format could not be written.", underlying: error)
    }
  }

  private func store(_ entries: TokenEntries, _ authority: Authority, isSignIn: Bool) async throws {
    let key = RecordKey.credentials(
      homeAccountID: entries.homeAccountID, environment: entries.environment, clientID: clientID)
    if !isSignIn, try await backend.record(for: key)?.document().isSignedOut(for: app) == true { return }
    let own = try await unified(authority).saveFamily(entries)
    try await backend.update(key) { [app] stored in
      var document = stored ?? CacheDocument()
      if !isSignIn && document.isSignedOut(for: app) { return }
      own.apply(to: &document)
      document.metadata[app] = .signedIn
      stored = document
    }
  }

  static func scopes(_ resource: String) -> Scopes { [resource + "/.default"] }

  static func check(resource: String) throws(SecretStoreError) {
    guard !resource.isEmpty, !resource.contains(where: \.isWhitespace), scopes(resource).isWellFormed else {
      throw SecretStoreError(
        .invalidArgument, "The resource is blank or holds a character that no resource may have.")
    }
  }
}

extension TokenEntries {
  /// The entries without the access token and the ID token: ADAL's are version 1 tokens, which MSAL does not
  /// accept.
  fileprivate var withoutTokensOfResources: TokenEntries {
    var entries = self
    entries.keepRefreshTokenOnly()
    return entries
  }
}
