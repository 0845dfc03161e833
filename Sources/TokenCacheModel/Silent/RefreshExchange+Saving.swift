// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Saving what a refresh brought.
extension RefreshExchange {
  /// - Parameters:
  ///   - refused: The client's own refresh token, when the server refused it before the family's was redeemed.
  ///   - seen: What was stored when the refresh token was taken.
  func save(
    _ response: TokenResponse, redeemed: RefreshTokenInUse, refused: String?, seen: CacheDocument?
  ) async throws -> TokenResult {
    let entries = try TokenEntries(response, context)
    guard RecordKey.storedAccount(entries.homeAccountID) == RecordKey.storedAccount(account.identifier) else {
      throw SecretStoreError(
        .accountMismatch, "The server answered for another account; the answer is dropped.")
    }
    guard let token = entries.accessToken else {
      throw SecretStoreError(.serverError, "The token endpoint answered without an access token.")
    }
    var saveError: SecretStoreError?
    do {
      try await store(entries, redeemed: redeemed, refused: refused, seen: seen)
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
    }
    let declined = parameters.scopes.resourceScopes.subtracting(token.answeredScopes)
    if !declined.isEmpty {
      throw SecretStoreError(
        .declinedScopes, "The server declined the scopes \(declined).",
        underlying: DeclinedScopes(granted: token.scopes, declined: declined, saveError: saveError))
    }
    return TokenResult(
      token, idToken: entries.idToken?.secret ?? seen?.idToken(beside: token), account: account,
      source: .refresh, saveError: saveError)
  }

  private var context: ResponseContext {
    ResponseContext(
      clientID: cache.clientID, authority: authority,
      environment: ResponseContext.environment(authority, acquisition.aliases), scopes: parameters.scopes,
      claims: parameters.claims, applicationIdentifier: cache.options.applicationIdentifier,
      keyID: parameters.scheme.keyID, known: account, now: cache.clock.now())
  }

  /// Saves the family's refresh token, then the rest, unless the account was signed out while the answer was on
  /// its way.
  private func store(
    _ entries: TokenEntries, redeemed: RefreshTokenInUse, refused: String?, seen: CacheDocument?
  ) async throws {
    let signedOut = SilentAcquisition.interaction("The account was signed out during the refresh.")
    guard try await cache.saveFamily(entries, redeemed: redeemed.secret, owner: redeemed.owner) else {
      throw signedOut
    }
    if try await saveClient(entries, redeemed: redeemed.secret, refused: refused, seen: seen) { return }
    if let family = entries.familyID {
      try? await AccountDirectory(backend: cache.backend).removeFamilyIfUnused(family, account)
    }
    throw signedOut
  }

  /// Saves under the write lock.
  ///
  /// When only this app signed out, the others of the client need the new refresh token: it is saved for them.
  ///
  /// - Returns: Whether the app is signed in.
  private func saveClient(
    _ entries: TokenEntries, redeemed: String, refused: String?, seen: CacheDocument?
  ) async throws -> Bool {
    try await cache.backend.update(acquisition.key) { [app = cache.app] stored in
      let isRemoved = stored == nil && seen != nil
      var document = stored ?? CacheDocument()
      if isRemoved || document.sharing.epoch != seen?.sharing.epoch ?? 0 { return false }
      entries.apply(to: &document, redeemed: redeemed, refused: refused)
      let isSignedIn = document.sharing[app] != .signedOut
      if isSignedIn { document.sharing[app] = .signedIn }
      stored = document
      return isSignedIn
    }
  }
}
