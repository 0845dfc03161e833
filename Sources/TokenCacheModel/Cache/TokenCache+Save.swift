// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension TokenCache {
  /// Saves what the token endpoint answered to a sign-in, and marks this app as signed in.
  ///
  /// The response is saved whole or not at all: one record is written, and before it the family's when the
  /// response has `foci`.
  ///
  /// - Parameters:
  ///   - response: The endpoint's answer.
  ///   - requested: The scopes that were asked for; they stand for the granted ones when the answer has none.
  ///   - authority: The authority that answered; the cache's own when `nil`.
  ///   - claims: The claims that were asked for, as JSON; the access token is kept apart by them.
  ///   - keyID: The key that an access token of another scheme than `Bearer` is bound to.
  /// - Returns: The account that signed in.
  /// - Throws: `corruptItem` when the response does not say whose it is (Azure AD's must have `client_info`,
  ///   any other an id token with `sub`) or what is stored can't be read, and whatever the back end throws.
  ///   `storageFailed` when a provider of external accounts fails, whose error is beneath; the response is saved then.
  @discardableResult
  public func save(
    _ response: TokenResponse, scopes requested: Scopes, authority: Authority? = nil, claims: String? = nil,
    keyID: String? = nil
  ) async throws -> Account {
    let authority = authority ?? self.authority
    let aliases = try await aliases(for: authority)
    let context = ResponseContext(
      clientID: clientID, authority: authority,
      environment: ResponseContext.environment(authority, aliases), scopes: requested, claims: claims,
      applicationIdentifier: options.applicationIdentifier, keyID: keyID, now: clock.now())
    let entries = try TokenEntries(response, context)
    try await saveFamily(entries)
    let key = RecordKey.credentials(
      homeAccountID: entries.homeAccountID, environment: entries.environment, clientID: clientID)
    let account = try await backend.update(key) { [app] stored in
      var document = stored ?? CacheDocument()
      entries.apply(to: &document)
      document.sharing[app] = .signedIn
      stored = document
      return try document.account(entries.homeAccountID)
    }
    await ADALSeed(cache: self).plant(response, context, at: authority)
    if let error = await external.update(account, claims: response.claims) { throw error }
    return account
  }

  /// Saves the family's refresh token, if the response brought one.
  func saveFamily(_ entries: TokenEntries) async throws {
    guard let family = entries.familyID else { return }
    let key = RecordKey.family(
      homeAccountID: entries.homeAccountID, environment: entries.environment, familyID: family)
    try await backend.update(key) { stored in
      var document = stored ?? CacheDocument()
      entries.applyFamily(to: &document)
      stored = document
    }
  }
}

extension CacheDocument {
  /// The account that the document is about.
  func account(_ homeAccountID: String) throws(SecretStoreError) -> Account {
    var merger = AccountMerger()
    merger.add(self)
    let wanted = RecordKey.storedAccount(homeAccountID)
    guard let account = merger.accounts.first(where: { RecordKey.storedAccount($0.identifier) == wanted })
    else { throw SecretStoreError(.corruptItem, "The document lacks its account.") }
    return account
  }
}
