// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Accounts and what is known of clients stand in the record of each account and client.
extension KeychainView {
  /// Gives a record what is known of its account and its client elsewhere.
  ///
  /// An account that was saved before its credentials is among the group's leftovers until then.
  func complete(_ owner: RecordKey, of credential: CredentialEntry, _ host: String) async throws {
    let accounts = try await knownAccounts(of: credential, host)
    let client = RecordKey.client(credential.clientID, environment: host)
    let known = try await appMetadata(in: client)
    if accounts.isEmpty && known.isEmpty { return }
    try await backend.update(owner) { stored in
      guard var document = stored else { return }
      for account in accounts where !document.accounts.contains(where: { $0.isSame(as: account) }) {
        document.keep(account)
      }
      if document.appMetadata.isEmpty { for metadata in known { document.keep(metadata) } }
      stored = document
    }
    for account in accounts { try await takeFromLeftovers(account) }
  }

  /// What the group knows of a credential's account in each of its tenants.
  private func knownAccounts(of credential: CredentialEntry, _ host: String) async throws -> [AccountEntry] {
    let account = AccountEntry(homeAccountID: credential.homeAccountID, environment: host, realm: "")
    var search = KeychainSearch<AccountEntry>(KeychainItemQuery())
    for record in try await backend.records(matching: CacheSplitter.owners(of: account)) {
      search.add(record)
    }
    if let record = try await backend.record(for: CacheSplitter.leftovers) { search.add(record) }
    return search.readable.filter {
      $0.comparedAccount == credential.comparedAccount
        && CloudEnvironment.areSame($0.environment, credential.environment)
    }
  }

  /// What a client's own record says of it; one that can't be read is no obstacle.
  private func appMetadata(in client: RecordKey) async throws -> [AppMetadataEntry] {
    guard case .success(let document)? = try await backend.record(for: client)?.content else { return [] }
    return document.appMetadata
  }

  /// What the group has left over of an account in a tenant; leftovers that can't be read are no obstacle.
  func leftover(_ account: AccountEntry) async throws -> AccountEntry? {
    guard case .success(let document)? = try await backend.record(for: CacheSplitter.leftovers)?.content
    else { return nil }
    return document.accounts.first { $0.isSame(as: account) }
  }

  /// Removes an account that has an owner by now from what is left over.
  func takeFromLeftovers(_ account: AccountEntry) async throws {
    guard try await leftover(account) != nil else { return }
    try await backend.update(CacheSplitter.leftovers) { stored in
      guard var document = stored else { return }
      AccountEntry.remove(from: &document) { $0.isSame(as: account) }
      stored = document
    }
  }
}

extension CacheDocument {
  /// Writes an account over the same one, without giving it a user name that neither has.
  ///
  /// The user name is part of an account's key.
  mutating func keep(_ account: AccountEntry) {
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

  /// Writes what is known of a client over what was, and forgets the family if it is no longer known.
  ///
  /// The family is part of the key.
  mutating func keep(_ metadata: AppMetadataEntry) {
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
