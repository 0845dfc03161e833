// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension TokenCache {
  /// The stored credentials of an account that a query asks for: this client's, and its family's refresh tokens.
  ///
  /// For identity libraries, which keep more than bearer tokens: nothing is checked for expiry, and an app that is
  /// signed out sees none.
  ///
  /// - Returns: The credentials, the one cached last first, then by key; none for an account that is not there.
  /// - Throws: `corruptItem` when a document can't be read, and whatever the back end throws.
  public func credentials(of account: Account, matching query: CredentialQuery) async throws
    -> [CredentialEntry]
  {
    let key = key(account, try await aliases(of: account))
    let own = try await backend.record(for: key)?.document()
    if own?.isSignedOut(for: app) == true { return [] }
    var entries = own?.credentials ?? []
    let families = Set(own?.appMetadata.map(\.familyID).filter { !$0.isEmpty } ?? [])
    for family in families {
      let shared = try await backend.record(
        for: .family(homeAccountID: account.identifier, environment: key.environment, familyID: family))
      entries += try shared?.document().credentials ?? []
    }
    return query.matches(in: entries)
  }

  /// Saves a credential as it is, in place of the same one: for those that no token response brings, such as a
  /// refresh token that is bound to a device.
  ///
  /// It goes to the record of its account and this client, which then counts as signed in for this app. An account
  /// that nothing else is known of is listed by its identifier, without a user name.
  ///
  /// - Throws: `invalidArgument` when it is another client's, or a family's; `corruptItem` when what is stored can't
  ///   be read; and whatever the back end throws.
  public func save(_ credential: CredentialEntry) async throws {
    guard RecordKey.storedClient(credential.clientID) == RecordKey.storedClient(clientID),
      credential.familyID == nil
    else { throw SecretStoreError(.invalidArgument, "The credential is not this client's own.") }
    let environment =
      try await authority.kind == .aad
      ? aliases(for: authority).canonical(credential.environment) : credential.environment
    let key = RecordKey.credentials(
      homeAccountID: credential.homeAccountID, environment: environment, clientID: clientID)
    try await backend.update(key) { [app, clock] stored in
      var document = stored ?? CacheDocument()
      document.put(environment == credential.environment ? credential : credential.under(environment))
      if credential.kind == .refreshToken { document.sharing.refreshTokenAt = clock.now() }
      if document.accounts.isEmpty { document.put(AccountEntry(of: credential, environment: environment)) }
      document.sharing[app] = .signedIn
      stored = document
    }
  }
}
