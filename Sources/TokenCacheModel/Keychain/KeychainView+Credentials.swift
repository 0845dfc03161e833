// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension KeychainView {
  /// Saves a credential in place of the item of the same key.
  ///
  /// It goes to the record of its account and client, or for a family's refresh token to that of the account and
  /// family. The app then counts as signed in to the account for the client; a family's refresh token signs nobody
  /// in. The replaced item's members that this version doesn't know stay, and so do other credentials, even where a
  /// token response would have made them superfluous. What the cache takes for the same credential is replaced, too:
  /// that of another host of the cloud, or with the scopes in another order.
  ///
  /// - Throws: `invalidArgument` when the account's id has white space around it, or the secret is what stands in the
  ///   place of a removed credential; `corruptItem` when what is stored can't be read, and then nothing is written;
  ///   and whatever the back end throws.
  public func save(_ credential: CredentialEntry) async throws {
    try Self.check(homeAccountID: credential.homeAccountID)
    if credential.isTombstone {
      throw SecretStoreError(.invalidArgument, "A removed credential is not saved; remove it by its key.")
    }
    let host = try await canonical(credential.environment)
    let owner = CacheSplitter.owner(of: credential.under(host))
    let now = clock.now()
    let hasAccount = try await backend.update(owner) { [app] stored in
      var document = stored ?? CacheDocument()
      document.replace(credential)
      if credential.kind.section == .refreshToken && document != stored {
        document.sharing.refreshTokenAt = credential.modifiedAt ?? now
      }
      if owner.kind == .credentials { document.sharing[app] = .signedIn }
      stored = document
      return owner.kind == .family || document.knowsAccount(of: credential)
    }
    if !hasAccount { try await complete(owner, of: credential, host) }
  }

  /// The credential of a key.
  ///
  /// - Returns: The credential, or `nil` when there is none.
  /// - Throws: `invalidArgument` for a key without a service; `ambiguousAccount` when accounts whose ids differ by
  ///   case have a credential of that key; `corruptItem` when it is not found and a record that may hold it can't be
  ///   read; and whatever the back end throws.
  public func credential(for key: KeychainItemKey) async throws -> CredentialEntry? {
    try Self.check(key)
    let search: KeychainSearch<CredentialEntry> = try await search(KeychainItemQuery(key))
    return try search.only()
  }

  /// The credentials that a query finds, the one stored last first.
  ///
  /// Entries that can't be read are passed over. What stands in the place of a removed credential is, too, and is
  /// removed for good.
  ///
  /// - Throws: `corruptItem` when a record that may hold one can't be read, and whatever the back end throws.
  public func credentials(matching query: KeychainItemQuery) async throws -> [CredentialEntry] {
    let search: KeychainSearch<CredentialEntry> = try await search(query)
    return try search.all()
  }

  /// Removes the credential of a key, and nothing else.
  ///
  /// The removal of a refresh token is noted in the group, see ``wipeInfo()``. Nothing is revoked at the server, and
  /// nobody is signed out: that is ``TokenCache/signOut(_:)``.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``credential(for:)`` does; and whatever the back end throws.
  @discardableResult
  public func removeCredential(_ key: KeychainItemKey) async throws -> Bool {
    try Self.check(key)
    guard let removed: CredentialEntry = try await removeItem(key) else { return false }
    if removed.kind.section == .refreshToken { await noteRemoval() }
    return true
  }
}

extension CacheDocument {
  /// Writes a credential in place of the same one, and of any other of its key: a keychain has but one.
  fileprivate mutating func replace(_ credential: CredentialEntry) {
    removeCredentials { $0.isSameItem(as: credential) && !$0.isSame(as: credential) }
    put(credential)
  }

  /// Whether the document says of a credential whose it is.
  fileprivate func knowsAccount(of credential: CredentialEntry) -> Bool {
    accounts.contains { $0.comparedAccount == credential.comparedAccount }
  }
}
