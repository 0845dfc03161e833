// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

extension TokenCache {
  /// Saves the token response to a sign-in and marks this app as signed in.
  ///
  /// To use the response's access token as well, call
  /// ``acquireToken(from:scopes:authority:claims:keyID:account:correlationID:)``.
  ///
  /// The response is saved completely or not at all, even if the task is cancelled. It is one write, after a write of
  /// the family's record if the response has `foci`.
  ///
  /// - Parameters:
  ///   - response: The token response.
  ///   - requested: The requested scopes, which count as granted if the response names none.
  ///   - authority: The authority that issued the response; the cache's own when `nil`.
  ///   - claims: The requested claims, as JSON; the access token is stored apart from those for other claims.
  ///   - keyID: The key that the access token is bound to, if its scheme is not `Bearer`.
  /// - Returns: The account that signed in.
  /// - Throws: `missingClientInfo` when Azure AD's response has no `client_info`, `invalidResponse` when another
  ///   response has no ID token with `sub`, when a response names its account by a token, or when its ID token is of
  ///   another issuer or for another client; `corruptItem` when a stored record can't be read; `storageFailed` when a
  ///   provider of external accounts fails, with its error as the underlying one, and the response is saved; and
  ///   whatever the back end throws.
  @discardableResult
  public func save(
    _ response: TokenResponse, scopes requested: Scopes, authority: Authority? = nil, claims: String? = nil,
    keyID: String? = nil
  ) async throws -> Account {
    let task = Task {
      let context = try await context(requested, authority, claims: claims, keyID: keyID)
      return try await save(TokenEntries(response, context), of: response, context)
    }
    return try await task.value
  }

  /// Returns the context of a response to a sign-in.
  func context(
    _ requested: Scopes, _ authority: Authority?, claims: String? = nil, keyID: String? = nil
  ) async throws -> ResponseContext {
    let authority = authority ?? self.authority
    let aliases = try await aliases(for: authority)
    return ResponseContext(
      clientID: clientID, authority: authority,
      environment: ResponseContext.environment(authority, aliases), scopes: requested, claims: claims,
      applicationIdentifier: options.applicationIdentifier, partition: options.partition, keyID: keyID,
      now: clock.now())
  }

  /// Saves the entries of a response to a sign-in and returns the account.
  func save(
    _ entries: TokenEntries, of response: TokenResponse, _ context: ResponseContext
  ) async throws -> Account {
    response.logOddMembers(at: context.now, to: options.logger)
    var (account, isWhole) = try await save(entries)
    // Another app signed the account out between the two writes. Save again, so that the account is complete.
    while !isWhole { (account, isWhole) = try await save(entries) }
    await seed(response, context, at: context.authority)
    if let error = await external.update(account, claims: response.claims) { throw error }
    return account
  }

  /// Saves the response to a sign-in: the family's record, then the client's.
  ///
  /// - Returns: The account, and whether it is complete. It is not when another app signed the account out, or emptied
  ///   the group, in between: the client's record was without tokens, and the family's is missing.
  private func save(_ entries: TokenEntries) async throws -> (account: Account, isWhole: Bool) {
    let entries = try await saveFamily(entries)
    let key = RecordKey.credentials(
      homeAccountID: entries.homeAccountID, environment: entries.environment, clientID: clientID)
    let (account, mayLackFamily) = try await backend.update(key) { [app] stored in
      // Only a sign-out, which leaves a record without tokens or none, removes the family's record.
      let mayLackFamily = stored?.hasTokens != true
      var document = stored ?? CacheDocument()
      entries.apply(to: &document)
      document.metadata[app] = .signedIn
      stored = document
      return (try document.account(entries.homeAccountID), mayLackFamily)
    }
    guard mayLackFamily, let family = entries.familyID else { return (account, true) }
    let familyKey = RecordKey.family(
      homeAccountID: entries.homeAccountID, environment: entries.environment, familyID: family)
    guard let record = try await backend.record(for: familyKey) else { return (account, false) }
    // A replacing import leaves the record without tokens.
    return (account, (try? record.document())?.hasTokens != false)
  }

  /// Saves the family's refresh token, if the response has one.
  ///
  /// - Returns: What belongs into the client's record: also the refresh token, if the family's record can't be read.
  package func saveFamily(_ entries: TokenEntries) async throws -> TokenEntries {
    guard let family = entries.familyID else { return entries }
    let key = RecordKey.family(
      homeAccountID: entries.homeAccountID, environment: entries.environment, familyID: family)
    return try await entries.ofClient {
      try await backend.update(key) { stored in
        var document = stored ?? CacheDocument()
        entries.applyFamily(to: &document)
        stored = document
      }
    }
  }
}

extension TokenEntries {
  /// Saves the family's refresh token with `saveFamily`.
  ///
  /// A family's record that can't be read or has no room must not cost the refresh token: the client then keeps it as
  /// its own.
  ///
  /// - Returns: What belongs into the client's record.
  func ofClient(_ saveFamily: () async throws -> Void) async throws -> TokenEntries {
    do {
      try await saveFamily()
      return self
    } catch let error as SecretStoreError where [.corruptItem, .invalidArgument].contains(error.code) {
      CallLog.warning("the family's record can't be used, so that the client keeps the refresh token")
      return withoutFamily
    }
  }
}

extension CacheDocument {
  /// Returns the account of the document.
  func account(_ homeAccountID: String) throws(SecretStoreError) -> Account {
    var merger = AccountMerger()
    merger.add(self)
    let wanted = RecordKey.storedAccount(homeAccountID)
    guard let account = merger.accounts.first(where: { RecordKey.storedAccount($0.identifier) == wanted })
    else { throw SecretStoreError(.corruptItem, "The document lacks its account.") }
    return account
  }
}
