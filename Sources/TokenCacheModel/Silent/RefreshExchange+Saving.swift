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
    guard isSameAccount(entries, response) else {
      throw SecretStoreError(
        .accountMismatch, "The server answered for another account; the answer is dropped.")
    }
    guard let token = entries.accessToken else {
      throw SecretStoreError(.serverError, "The token endpoint answered without an access token.")
    }
    var saveError: SecretStoreError?
    var account = account
    do {
      var kept = entries
      // ADAL's are of version 1 and for a resource that their scopes don't tell.
      if parameters.resource != nil { kept.keepRefreshTokenOnly() }
      account = try await store(kept, redeemed: redeemed, refused: refused, seen: seen)
      let asked = parameters.tenant == nil ? acquisition.asked : authority
      await ADALSeed(cache: cache).plant(response, context, at: asked)
      saveError = await cache.external.update(account, claims: response.claims)
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
    }
    if let saveError {
      CallLog.warning("what the refresh brought could not be saved", CallLog.facts(of: saveError))
    } else {
      CallLog.debug("saved what the refresh brought")
    }
    try check(token)
    let declined = parameters.scopes.resourceScopes.subtracting(token.answeredScopes)
    if !declined.isEmpty {
      throw SecretStoreError(
        .declinedScopes, "The server declined the scopes \(declined).",
        underlying: DeclinedScopes(granted: token.scopes, declined: declined, saveError: saveError))
    }
    return TokenResult(
      token, idToken: entries.idToken?.secret ?? seen?.idToken(beside: token), account: account,
      source: .refresh, saveError: saveError, response: response)
  }

  /// Whether the answer is for the account that was asked for; one of ADAL's that has no identifier yet is known by its
  /// user name or its object id.
  private func isSameAccount(_ entries: TokenEntries, _ response: TokenResponse) -> Bool {
    if account.identifier.isEmpty {
      let names = [response.claims?.username, ADALUser(response)?.userID].compactMap { $0?.lowercased() }
      let objectID = response.claims?.localAccountID?.lowercased()
      return names.isEmpty || names.contains(account.username.lowercased())
        || objectID != nil && account.tenantProfiles.contains { $0.identifier.lowercased() == objectID }
    }
    return RecordKey.storedAccount(entries.homeAccountID) == RecordKey.storedAccount(account.identifier)
  }

  /// Refuses a token of another kind than asked; it is in the cache for whoever asks for that kind.
  private func check(_ token: CredentialEntry) throws(SecretStoreError) {
    if token.scheme != parameters.scheme.tokenType?.lowercased() ?? "" {
      throw SecretStoreError(
        .serverError, "The server answered with a token of another scheme than asked for.")
    }
    if let tenant = parameters.tenant?.lowercased(), RecordKey.isGUID(tenant[...]),
      token.realm?.lowercased() != tenant
    {
      throw SecretStoreError(
        .serverError, "The server answered with a token of another tenant than asked for.")
    }
  }

  private var context: ResponseContext {
    ResponseContext(
      clientID: cache.clientID, authority: authority,
      environment: ResponseContext.environment(authority, acquisition.aliases), scopes: parameters.scopes,
      claims: parameters.claims, applicationIdentifier: cache.options.applicationIdentifier,
      keyID: parameters.scheme.keyID, known: account.identifier.isEmpty ? nil : account,
      now: cache.clock.now())
  }

  /// Saves the family's refresh token, then the rest, unless the account was signed out while the answer was on
  /// its way.
  ///
  /// - Returns: The account as the answer tells of it.
  private func store(
    _ entries: TokenEntries, redeemed: RefreshTokenInUse, refused: String?, seen: CacheDocument?
  ) async throws -> Account {
    let signedOut = SilentAcquisition.interaction("The account was signed out during the refresh.")
    if try await isGone(redeemed) { throw signedOut }
    guard try await saveFamily(entries, redeemed: redeemed) else { throw signedOut }
    let key = acquisition.key(of: entries.homeAccountID)
    let hasLeft = try await hasAppLeft(redeemed)
    var saved = try await saveClient(
      entries, in: key, redeemed: redeemed.secret, refused: refused, seen: seen, hasLeft: hasLeft)
    if saved == .gone, acquisition.asked.kind == .aad {
      // It may have been moved to another host of its cloud, which somebody learnt of meanwhile.
      let moved = cache.key(account, try await cache.aliases(for: acquisition.asked))
      if moved != key {
        saved = try await saveClient(
          entries, in: moved, redeemed: redeemed.secret, refused: refused, seen: seen, hasLeft: hasLeft)
      }
    }
    if case .saved(let account) = saved {
      // Whoever signs out now finds what is stored; whoever did before has left word of it.
      let (isGone, hasLeft) = (try await isGone(redeemed), try await hasAppLeft(redeemed))
      if !isGone && !hasLeft { return self.account.updated(from: account) }
      try await cache.signOutApp(account)
    }
    if let family = entries.familyID {
      try? await AccountDirectory(backend: cache.backend).removeFamilyIfUnused(
        family, entries.homeAccountID, environment: account.environment)
    }
    throw signedOut
  }

  /// Whether an item of ADAL's that was redeemed is not there any more, or was emptied: then everybody was signed out.
  private func isGone(_ redeemed: RefreshTokenInUse) async throws -> Bool {
    guard redeemed.owner.kind == .legacy else { return false }
    return try await cache.backend.record(for: redeemed.owner)?.document().sharing.epoch != redeemed.epoch
  }

  /// Whether this app has signed out of an item of ADAL's that was redeemed.
  private func hasAppLeft(_ redeemed: RefreshTokenInUse) async throws -> Bool {
    guard redeemed.owner.kind == .legacy else { return false }
    let stored = try await cache.backend.record(for: redeemed.owner)?.document()
    return stored?.sharing[cache.app] == .signedOut
  }

  /// Saves what belongs to a family.
  ///
  /// - Returns: `false`, and nothing is saved, when the family's token was redeemed and its record was emptied or
  ///   removed since: then the account was signed out.
  private func saveFamily(_ entries: TokenEntries, redeemed: RefreshTokenInUse) async throws -> Bool {
    if redeemed.isFamilys {
      let stands = try await cache.backend.update(redeemed.owner) { stored in
        guard var document = stored, document.hasTokens, document.sharing.epoch == redeemed.epoch else {
          return false
        }
        if entries.familyID == redeemed.owner.familyID {
          entries.applyFamily(to: &document, redeemed: redeemed.secret)
          stored = document
        }
        return true
      }
      if !stands || entries.familyID == redeemed.owner.familyID { return stands }
    }
    try await cache.saveFamily(entries)
    return true
  }

  /// What came of saving to the client's record.
  private enum Saved: Equatable {
    case saved(Account)
    case signedOut
    /// The record that was there is not there any more.
    case gone
  }

  /// Saves under the write lock.
  ///
  /// When only this app signed out, the others of the client need the new refresh token: it is saved for them.
  ///
  /// - Parameter hasLeft: Whether the app signed out in ADAL's format.
  private func saveClient(
    _ entries: TokenEntries, in key: RecordKey, redeemed: String, refused: String?, seen: CacheDocument?,
    hasLeft: Bool
  ) async throws -> Saved {
    try await cache.backend.update(key) { [app = cache.app] stored in
      if stored == nil && seen != nil { return .gone }
      var document = stored ?? CacheDocument()
      if document.sharing.epoch != seen?.sharing.epoch ?? 0 { return .signedOut }
      entries.apply(to: &document, redeemed: redeemed, refused: refused)
      if hasLeft { document.sharing[app] = .signedOut }
      let isSignedIn = document.sharing[app] != .signedOut
      if isSignedIn { document.sharing[app] = .signedIn }
      stored = document
      return isSignedIn ? .saved(try document.account(entries.homeAccountID)) : .signedOut
    }
  }
}
