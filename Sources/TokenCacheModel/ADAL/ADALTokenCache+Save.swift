// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension ADALTokenCache {
  /// Saves what the token endpoint answered to a sign-in, and marks this app as signed in.
  ///
  /// A response that names its `resource`, as version 1 of Azure AD's endpoint does, brings a refresh token for every
  /// resource, and with `foci` one for every client of the family. Any other's refresh token is for the resource alone,
  /// as AD FS's. From ADAL 2.7 on the refresh token, the account and the client's metadata are kept in MSAL's format,
  /// too, where the response has `client_info`.
  ///
  /// - Parameters:
  ///   - response: The endpoint's answer.
  ///   - resource: What was asked for; it stands where the answer names none.
  ///   - authority: The authority that answered; the cache's own when `nil`.
  /// - Returns: The token. Its `saveError` tells when it could not be stored in MSAL's format.
  /// - Throws: `corruptItem` when the response holds no access token or what is stored can't be read,
  ///   `invalidArgument` for a blank resource, and whatever the back end throws.
  @discardableResult
  public func save(
    _ response: TokenResponse, resource: String, authority: Authority? = nil
  ) async throws -> ADALResult {
    try Self.check(resource: resource)
    let context = try await context(authority ?? self.authority, resource)
    let user = user(response)
    let items = ADALItems(response, resource: resource, of: user, context)
    guard ADALResult(items.accessToken, user: user, source: .refresh) != nil else {
      throw SecretStoreError(.corruptItem, "The token response holds no access token.")
    }
    try await store.save(items.all, for: app)
    let error = await saveUnified(response, context, isSignIn: true)
    guard let result = ADALResult(items.accessToken, user: user, source: .refresh, saveError: error) else {
      throw SecretStoreError(.corruptItem, "The token response holds no access token.")
    }
    return result
  }

  /// Whom a response is about, as far as the generation can tell.
  ///
  /// - Parameter known: Whose refresh token was redeemed, where the response doesn't say.
  func user(_ response: TokenResponse, known: ADALUser? = nil) -> ADALUser? {
    let user = ADALUser(response, known: known)
    return generation == .bothFormats ? user : user.map { ADALUser(userID: $0.userID, homeAccountID: nil) }
  }

  func context(_ authority: Authority, _ resource: String) async throws -> ResponseContext {
    let aliases = try await unified(authority).aliases(for: authority)
    return ResponseContext(
      clientID: clientID, authority: authority, environment: ResponseContext.environment(authority, aliases),
      scopes: Self.scopes(resource), applicationIdentifier: options.applicationIdentifier,
      now: options.clock.now())
  }

  /// Keeps the refresh token, the account and the client's metadata in MSAL's format.
  ///
  /// - Parameter isSignIn: Whether the user was asked; else an app that signed out stays so.
  /// - Returns: Why it could not be done, when it could not.
  func saveUnified(
    _ response: TokenResponse, _ context: ResponseContext, isSignIn: Bool
  ) async -> SecretStoreError? {
    guard generation == .bothFormats, response.clientInfo != nil, response.resource != nil else { return nil }
    do {
      let entries = try TokenEntries(response, context).withoutTokensOfResources
      let key = RecordKey.credentials(
        homeAccountID: entries.homeAccountID, environment: entries.environment, clientID: clientID)
      if !isSignIn, try await backend.record(for: key)?.document().isSignedOut(for: app) == true {
        return nil
      }
      try await unified(context.authority).saveFamily(entries)
      try await backend.update(key) { [app] stored in
        var document = stored ?? CacheDocument()
        if !isSignIn && document.isSignedOut(for: app) { return }
        entries.apply(to: &document)
        document.sharing[app] = .signedIn
        stored = document
      }
      return nil
    } catch {
      return error as? SecretStoreError
        ?? SecretStoreError(.storageFailed, "MSAL's format could not be written.", underlying: error)
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
  /// Without the access token and the id token: ADAL's are of version 1, which MSAL does not take.
  fileprivate var withoutTokensOfResources: TokenEntries {
    var entries = self
    entries.keepRefreshTokenOnly()
    return entries
  }
}
