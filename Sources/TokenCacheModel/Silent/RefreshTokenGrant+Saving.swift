// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// Saving the response to a refresh.
extension RefreshTokenGrant {
  /// Saves the response, checks it against the request, and returns the token.
  ///
  /// A save that fails for a moment is tried again; see ``PersistentSave``. A failed save does not fail the call: the
  /// error is in the result's `saveError`, and the response beside it.
  ///
  /// - Parameters:
  ///   - refused: The client's own refresh token, if the server refused it before the family's was redeemed.
  ///   - seen: The client's document at the time when the refresh token was read.
  /// - Throws: `accountMismatch` when the response is for another account, and nothing is saved; `interactionRequired`
  ///   when the account was signed out during the refresh; after the save, `serverError` if the response has no access
  ///   token or one of another scheme or tenant, and `declinedScopes` if the server granted less than the requested
  ///   scopes. When the save failed, the underlying error of these two has the response.
  func save(
    _ response: TokenResponse, redeemed: RefreshTokenInUse, refused: String?, seen: CacheDocument?
  ) async throws -> TokenResult {
    var context = acquisition.responseContext
    context.redeemed = redeemed.secret
    let kept = response.withoutForeignIDToken(for: context.clientID, at: context.authority)
      .withFamily(redeemed.owner.familyID)
    kept.logOddMembers(at: context.now, to: cache.options.logger)
    let entries: TokenEntries
    do {
      entries = try TokenEntries(kept, context)
    } catch {
      throw try await keepingRefreshToken(of: kept, context, redeemed: redeemed, after: error)
    }
    guard try response.isFor(account, context, cache.options.legacySignIns) else {
      throw SecretStoreError(
        .accountMismatch, "The server's response is for another account and was dropped.")
    }
    var saveError: SecretStoreError?
    // Whether the group has the response's refresh token although the save failed.
    var keepsRefreshToken = false
    var isDamaged = false
    var account = account
    do {
      var saved = entries
      // ADAL's access tokens are version 1 tokens for a resource, which their scopes don't name.
      if parameters.resource != nil { saved.keepRefreshTokenOnly() }
      account = try await PersistentSave.run(in: cache.backend, retryingAfter: cache.options.retryDelay) {
        [saved] in
        try await store(saved, redeemed: redeemed, refused: refused, seen: seen, restoring: &isDamaged) {
          keepsRefreshToken = true
        }
      }
      keepsRefreshToken = true
      let requested = parameters.tenant == nil ? acquisition.authority : authority
      await cache.seed(kept, context, at: requested)
      saveError = await cache.external.update(account, claims: kept.claims)
    } catch let error as SecretStoreError where error.code != .interactionRequired {
      saveError = error
      // A server that doesn't rotate refresh tokens sends the stored one again.
      if response.refreshToken == redeemed.secret, error.code != .corruptItem { keepsRefreshToken = true }
    }
    if let saveError {
      CallLog.warning("what the refresh brought could not be saved", CallLog.facts(of: saveError))
    } else {
      CallLog.debug("saved what the refresh brought")
    }
    guard let token = entries.accessToken else {
      throw TokenResult.Unsaved.noAccessToken(kept, saveError, keepsRefreshToken: keepsRefreshToken)
    }
    do {
      try acquisition.check(token)
    } catch {
      throw TokenResult.Unsaved.attached(kept, saveError, keepsRefreshToken: keepsRefreshToken, to: error)
    }
    var result = TokenResult(
      token, idToken: entries.idToken?.secret ?? seen?.idToken(beside: token), account: account,
      source: .refresh, saveError: saveError, response: kept)
    result.keepsRefreshToken = keepsRefreshToken
    try DeclinedScopes.check(token, of: result, for: parameters.scopes, in: parameters.correlationID)
    return result
  }

  /// Stores the refresh token of a response that doesn't name its account in place of the redeemed one.
  ///
  /// The account is then a user of an older library without an identifier, which only a response can state.
  ///
  /// - Returns: The error, with the response if that could not be saved.
  private func keepingRefreshToken(
    of response: TokenResponse, _ context: ResponseContext, redeemed: RefreshTokenInUse,
    after error: SecretStoreError
  ) async throws -> SecretStoreError {
    guard redeemed.owner.kind == .legacy, account.identifier.isEmpty, let secret = response.refreshToken,
      secret != redeemed.secret, let legacy = cache.options.legacySignIns,
      (try? response.isFor(account, context, legacy)) == true
    else { return error }
    do {
      let isThere = try await PersistentSave.run(
        in: cache.backend, retryingAfter: cache.options.retryDelay
      ) {
        try await legacy.replace(redeemed, with: secret, in: cache.backend)
      }
      if isThere { return error }
      let isDamaged = try await cache.backend.setAsideDamaged(redeemed.owner, since: redeemed.readAt)
      guard isDamaged else { return error }
      let damage = SecretStoreError(.corruptItem, "Another program has damaged the refresh token's item.")
      return TokenResult.Unsaved.attached(response, damage, to: error)
    } catch let saveError as SecretStoreError {
      return TokenResult.Unsaved.attached(response, saveError, to: error)
    }
  }

  /// Saves the family's refresh token and then the rest, unless the account was signed out during the refresh.
  ///
  /// - Parameters:
  ///   - isDamaged: Whether an earlier attempt has set the item of the client's record aside.
  ///   - savedFamily: Is called once the family's record has the refresh token.
  /// - Returns: The account with the data of the response.
  private func store(
    _ entries: TokenEntries, redeemed: RefreshTokenInUse, refused: String?, seen: CacheDocument?,
    restoring isDamaged: inout Bool, _ savedFamily: () -> Void
  ) async throws -> Account {
    let signedOut = SilentAcquisition.interaction(
      "The account's tokens were removed during the refresh, as by a sign-out.")
    if try await isRemoved(redeemed) { throw signedOut }
    guard let entries = try await saveFamily(entries, redeemed: redeemed, isKnown: seen != nil) else {
      throw signedOut
    }
    if entries.familyID != nil { savedFamily() }
    let key = acquisition.key(of: entries.homeAccountID)
    let isAppSignedOut = try await isAppSignedOut(redeemed)
    var saved = try await saveClient(
      entries, in: key, redeemed: redeemed, refused: refused, seen: seen, isAppSignedOut: isAppSignedOut,
      restoring: &isDamaged)
    if saved == .removed, acquisition.authority.kind == .aad {
      // The group may have learned new aliases meanwhile and moved the record to another host of its cloud.
      let moved = cache.key(account, try await cache.aliases(for: acquisition.authority))
      if moved != key {
        saved = try await saveClient(
          entries, in: moved, redeemed: redeemed, refused: refused, seen: seen,
          isAppSignedOut: isAppSignedOut, restoring: &isDamaged)
      }
    }
    if case .saved(let account) = saved {
      // A sign-out from now on finds the stored tokens. An earlier one left a sign-out record, which is checked here.
      var (isRemoved, isAppSignedOut) = (
        try await isRemoved(redeemed), try await self.isAppSignedOut(redeemed)
      )
      if redeemed.isFamilyToken && seen == nil {
        // Removing everything from the group leaves no such record: the family's record is just missing.
        isRemoved = try await cache.backend.record(for: redeemed.owner) == nil
      }
      if !isRemoved && !isAppSignedOut { return self.account.updated(from: account) }
      try await cache.signOutApp(account)
    }
    if entries.familyID != nil {
      var failures = RecordFailures()
      _ = try? await AccountDirectory(backend: cache.backend).removeUnusedFamilies(
        of: entries.homeAccountID, environment: key.environment, &failures)
    }
    throw signedOut
  }

  /// Returns whether the redeemed item of an older library was removed or emptied since, which signs out every app.
  private func isRemoved(_ redeemed: RefreshTokenInUse) async throws -> Bool {
    guard redeemed.owner.kind == .legacy else { return false }
    guard let record = try await cache.backend.record(for: redeemed.owner) else {
      return try await !cache.backend.setAsideDamaged(redeemed.owner, since: redeemed.readAt)
    }
    // An item that another program has damaged says nothing of a sign-out.
    guard let document = try? record.document() else { return false }
    return document.metadata.signOutNumber != redeemed.signOutNumber
  }

  /// Returns whether this app has signed out in the redeemed item of an older library.
  private func isAppSignedOut(_ redeemed: RefreshTokenInUse) async throws -> Bool {
    guard redeemed.owner.kind == .legacy else { return false }
    let stored = try? await cache.backend.record(for: redeemed.owner)?.document()
    return stored?.metadata[cache.app] == .signedOut
  }

  /// Saves the family's refresh token.
  ///
  /// Another program may have deleted the family's record during the request. A sign-out leaves the client's record
  /// with another sign-out number, so that one decides then, and the client keeps the refresh token as its own.
  ///
  /// - Parameter isKnown: Whether the client had a record before the request.
  /// - Returns: What belongs into the client's record; `nil` when the family's token was redeemed and the account was
  ///   signed out since, so that nothing is saved.
  private func saveFamily(
    _ entries: TokenEntries, redeemed: RefreshTokenInUse, isKnown: Bool
  ) async throws -> TokenEntries? {
    guard redeemed.isFamilyToken else { return try await cache.saveFamily(entries) }
    // `nil` when the record is gone.
    var isSaved: Bool? = true
    let own = try await entries.ofClient {
      isSaved = try await cache.backend.update(redeemed.owner) { stored -> Bool? in
        guard var document = stored else { return nil }
        guard document.metadata.signOutNumber == redeemed.signOutNumber else { return false }
        if entries.familyID == redeemed.owner.familyID {
          entries.applyFamily(to: &document, redeemed: redeemed.secret)
          stored = document
        }
        return true
      }
    }
    guard let isSaved else { return isKnown ? entries.withoutFamily : nil }
    guard isSaved else { return nil }
    return entries.familyID == redeemed.owner.familyID ? own : try await cache.saveFamily(own)
  }

  /// The outcome of saving to the client's record.
  private enum Saved: Equatable {
    case saved(Account)
    case signedOut
    /// The record existed before the refresh and doesn't any more.
    case removed
  }

  /// Saves to the client's record, under its write lock.
  ///
  /// When only this app has signed out, the new refresh token is saved for the client's other apps. An item that another
  /// program has damaged during the request is set aside, if a repair has not done so, and the record is made again from
  /// what was read before.
  ///
  /// - Parameters:
  ///   - isAppSignedOut: Whether the app has signed out in an older library's format.
  ///   - isDamaged: Whether the record's item was set aside.
  private func saveClient(
    _ entries: TokenEntries, in key: RecordKey, redeemed: RefreshTokenInUse, refused: String?,
    seen: CacheDocument?, isAppSignedOut: Bool, restoring isDamaged: inout Bool
  ) async throws -> Saved {
    do {
      let (saved, made): (Saved, CacheDocument?) = try await cache.backend.update(key) {
        [app = cache.app, isDamaged] stored in
        if stored == nil && seen != nil && !isDamaged { return (.removed, nil) }
        var document = stored ?? seen ?? CacheDocument()
        if document.metadata.signOutNumber != seen?.metadata.signOutNumber ?? 0 { return (.signedOut, nil) }
        entries.apply(to: &document, redeemed: redeemed.secret, refused: refused)
        if isAppSignedOut { document.metadata[app] = .signedOut }
        let isSignedIn = document.metadata[app] != .signedOut
        if isSignedIn { document.metadata[app] = .signedIn }
        stored = document
        return (isSignedIn ? .saved(try document.account(entries.homeAccountID)) : .signedOut, document)
      }
      if saved != .removed {
        guard isDamaged, let made else { return saved }
        return try await cache.backend.keepsRestored(key, as: made) ? saved : .removed
      }
      guard try await cache.backend.setAsideDamaged(key, since: redeemed.readAt) else { return saved }
    } catch let error as SecretStoreError where error.code == .corruptItem && !isDamaged {
      guard try await cache.backend.setAsideDamaged(key, since: redeemed.readAt) else { throw error }
    }
    isDamaged = true
    CallLog.warning("an item that can't be read was set aside, and its record is made again")
    return try await saveClient(
      entries, in: key, redeemed: redeemed, refused: refused, seen: seen, isAppSignedOut: isAppSignedOut,
      restoring: &isDamaged)
  }
}
