// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

extension KeychainView {
  /// Saves a credential in place of the item with the same key.
  ///
  /// The credential is stored in the record of its account and client; a family's refresh token, in the record of the
  /// account and the family. The app then counts as signed in to the account for the client, but a family's refresh
  /// token signs nobody in, and neither does a credential with a `user_assertion_hash`. Unknown members of the
  /// replaced item stay. So do other credentials, even those that a token response would have removed. A credential
  /// that the cache treats as the same is replaced too: one of another host of the cloud, or one with the scopes in
  /// another order.
  ///
  /// - Throws:
  ///   - `invalidArgument` when the account ID is blank, has white space around it or holds a control character;
  ///     and when the credential is a tombstone.
  ///   - `corruptItem` when the stored record can't be read; nothing is written then.
  ///   - Errors of the back end.
  public func save(_ credential: CredentialEntry) async throws {
    try Self.check(homeAccountID: credential.homeAccountID)
    if credential.isTombstone {
      throw SecretStoreError(.invalidArgument, "A removed credential is not saved; remove it by its key.")
    }
    let host = try await canonical(credential.environment)
    let owner = CachePartitioner.owner(of: credential.under(host))
    let now = clock.now()
    let hasAccount = try await backend.update(owner) { [app] stored in
      var document = stored ?? CacheDocument()
      document.replace(credential)
      if credential.kind.section == .refreshToken && document != stored {
        document.metadata.refreshTokenAt = credential.modifiedAt ?? now
      }
      if owner.kind == .credentials, credential.userAssertionHash == nil {
        document.metadata[app] = .signedIn
      }
      stored = document
      return owner.kind == .family || document.knowsAccount(of: credential)
    }
    if !hasAccount { try await complete(owner, of: credential, host) }
  }

  /// Reads the credential of a key.
  ///
  /// - Returns: The credential, or `nil` when there is none.
  /// - Throws: `invalidArgument` for a key without a service or with a control character; `ambiguousAccount` when
  ///   several accounts, whose IDs or issuers differ by case only, have a credential with the key; `corruptItem`
  ///   when the credential is not found and a record that may hold it can't be read; and errors of the back end.
  public func credential(for key: KeychainItemKey) async throws -> CredentialEntry? {
    try Self.check(key)
    let search: KeychainSearch<CredentialEntry> = try await search(KeychainItemQuery(key))
    return try search.only()
  }

  /// Reads the credentials that match a query, the one stored last first.
  ///
  /// Skips entries and records that can't be read. Skips tombstones too, and removes them from the store.
  ///
  /// - Throws: Errors of the back end.
  public func credentials(matching query: KeychainItemQuery) async throws -> [CredentialEntry] {
    let search: KeychainSearch<CredentialEntry> = try await search(query)
    return search.items
  }

  /// Removes the credential of a key, and nothing else.
  ///
  /// The removal of a refresh token is recorded in the group, see ``wipeInfo()``. Nothing is revoked at the server,
  /// and nobody is signed out; use ``TokenCache/signOut(_:)`` for that.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: The errors of ``credential(for:)``.
  @discardableResult
  public func removeCredential(_ key: KeychainItemKey) async throws -> Bool {
    try Self.check(key)
    guard let removed: CredentialEntry = try await removeItem(key) else { return false }
    if removed.kind.section == .refreshToken { await noteRemoval() }
    return true
  }
}

extension CacheDocument {
  /// Writes a credential in place of the same one and of any other with its key: a keychain has only one item per
  /// key.
  fileprivate mutating func replace(_ credential: CredentialEntry) {
    removeCredentials { $0.isSameItem(as: credential) && !$0.isSame(as: credential) }
    put(credential)
  }

  /// Whether the document has an account entry for a credential.
  fileprivate func knowsAccount(of credential: CredentialEntry) -> Bool {
    accounts.contains { $0.comparedAccount == credential.comparedAccount }
  }
}
