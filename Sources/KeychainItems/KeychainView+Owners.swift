// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// Accounts and clients' metadata are stored in the record of each account and client.
extension KeychainView {
  /// Adds to a record what the group knows of the account and the client elsewhere.
  ///
  /// An account that is saved before its credentials stays in the leftovers record until then.
  func complete(_ owner: RecordKey, of credential: CredentialEntry, _ host: String) async throws {
    let accounts = try await knownAccounts(of: credential, host)
    let client = RecordKey.client(credential.clientID, environment: host)
    let known = try await appMetadata(in: client)
    if accounts.isEmpty && known.isEmpty { return }
    try await backend.update(owner) { stored in
      guard var document = stored else { return }
      for account in accounts where !document.accounts.contains(where: { $0.isSame(as: account) }) {
        document.overwrite(with: account)
      }
      if document.appMetadata.isEmpty { for metadata in known { document.overwrite(with: metadata) } }
      stored = document
    }
    for account in accounts { try await removeFromLeftovers(account) }
  }

  /// Returns what the group knows of a credential's account, in each of its tenants.
  private func knownAccounts(of credential: CredentialEntry, _ host: String) async throws -> [AccountEntry] {
    let account = AccountEntry(homeAccountID: credential.homeAccountID, environment: host, realm: "")
    var search = KeychainSearch<AccountEntry>(KeychainItemQuery())
    for record in try await backend.records(matching: CachePartitioner.owners(of: account)) {
      search.add(record)
    }
    if let record = try await backend.record(for: CachePartitioner.leftovers) { search.add(record) }
    return search.items.filter {
      $0.comparedAccount == credential.comparedAccount
        && CloudEnvironment.areSame($0.environment, credential.environment)
    }
  }

  /// Reads the metadata in a client's own record; ignores a record that can't be read.
  private func appMetadata(in client: RecordKey) async throws -> [AppMetadataEntry] {
    guard case .success(let document)? = try await backend.record(for: client)?.content else { return [] }
    return document.appMetadata
  }

  /// Reads an account in a tenant from the leftovers record; ignores a record that can't be read.
  func leftover(_ account: AccountEntry) async throws -> AccountEntry? {
    guard case .success(let document)? = try await backend.record(for: CachePartitioner.leftovers)?.content
    else { return nil }
    return document.accounts.first { $0.isSame(as: account) }
  }

  /// Removes an account that now has an owner from the leftovers record.
  func removeFromLeftovers(_ account: AccountEntry) async throws {
    guard try await leftover(account) != nil else { return }
    try await backend.update(CachePartitioner.leftovers) { stored in
      guard var document = stored else { return }
      AccountEntry.remove(from: &document) { $0.isSame(as: account) }
      stored = document
    }
  }
}

/// The records that own an entry that is saved on its own; an import chooses the same records.
extension CachePartitioner {
  /// Returns the query for the records that hold an account: those of every client with a token of the account.
  static func owners(of account: AccountEntry) -> RecordQuery {
    .all(.credentials, homeAccountID: account.homeAccountID, environment: account.environment)
  }

  /// Whether a record holds a client's metadata: the record of each of the client's accounts does.
  static func isOwner(_ record: RecordKey, of metadata: AppMetadataEntry) -> Bool {
    let client = RecordKey.client(metadata.clientID, environment: metadata.environment)
    return record.kind == .credentials && record.clientID == client.clientID
      && record.environment == client.environment
  }
}

extension CacheDocument {
  /// Writes an account over the same one, without adding a user name that neither has.
  ///
  /// The user name is part of an account's key.
  mutating func overwrite(with account: AccountEntry) {
    let isNamed = (accounts.filter { $0.isSame(as: account) } + [account])
      .contains { $0.fields["username"] != nil }
    put(account)
    if isNamed { return }
    for (name, value) in self[.account] {
      guard var entry = AccountEntry(value), entry.isSame(as: account) else { continue }
      entry.fields["username"] = nil
      self[.account][name] = .object(entry.fields)
    }
  }

  /// Writes a client's metadata over the stored metadata, and removes the family if it is no longer given.
  ///
  /// The family is part of the key.
  mutating func overwrite(with metadata: AppMetadataEntry) {
    if metadata.fields["family_id"] == nil {
      for (name, value) in self[.appMetadata] {
        guard var entry = AppMetadataEntry(value), entry.isSame(as: metadata) else { continue }
        entry.fields["family_id"] = nil
        self[.appMetadata][name] = .object(entry.fields)
      }
    }
    put(metadata)
  }
}
