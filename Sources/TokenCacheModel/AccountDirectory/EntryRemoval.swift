// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// The removal of an account's entries from records that are not its own, or are another client's or cloud's.
///
/// An import leaves accounts without a token, and entries of unknown kinds. Another program can write any entry into
/// any record, and lists and exports show it.
package struct EntryRemoval: Sendable {
  /// The account; in any environment if it has none.
  let account: Account
  /// The client whose entries are removed; `nil` for every client.
  let clientID: String?
  let aliases: EnvironmentAliases

  /// Creates the removal of an account's entries.
  ///
  /// - Parameter clientID: The client whose entries are removed; `nil` for every client.
  package init(of account: Account, clientID: String?, _ aliases: EnvironmentAliases) {
    (self.account, self.clientID, self.aliases) = (account, clientID, aliases)
  }

  /// Removes the entries from a record's document.
  package func apply(to document: inout CacheDocument, of key: RecordKey) {
    let before = document
    document.removeEntries { isOfAccount($0, in: key) && isOfClient($0, in: key) }
    // What names no client goes with the last entry that does. In the account's own record it is its client's.
    let isOwn = isOwn(key) && isHere(key.environment)
    if key != CachePartitioner.leftovers, !isOwn,
      !document.hasEntries(ownedBy: { isOfAccount($0, in: key) && $0.clientID != nil })
    {
      document.removeEntries { isOfAccount($0, in: key) }
    }
    if document != before { document.metadata.removalCount += 1 }
  }

  private func isOwn(_ key: RecordKey) -> Bool {
    key.account == RecordKey.storedAccount(account.identifier)
  }

  /// Returns whether an entry is the account's.
  ///
  /// An entry that names no environment, or only an issuer's host, has that of its account's record. In another
  /// account's record it may be the account's in each.
  private func isOfAccount(_ owner: CacheDocument.EntryOwner, in key: RecordKey) -> Bool {
    if account.storageEnvironment.isEmpty {
      return RecordKey.storedAccount(owner.homeAccountID) == RecordKey.storedAccount(account.identifier)
    }
    guard owner.isAccount(account.identifier, at: account.storageEnvironment, aliases) else { return false }
    return !isOwn(key) || isHere(owner.environment ?? key.environment)
  }

  private func isHere(_ environment: String) -> Bool {
    account.storageEnvironment.isEmpty || aliases.areSame(environment, account.storageEnvironment)
  }

  private func isOfClient(_ owner: CacheDocument.EntryOwner, in key: RecordKey) -> Bool {
    guard let clientID else { return true }
    // A family's refresh token names the client that stored it last, and belongs to the family.
    if key.kind == .family, isOwn(key), owner.namesFamily { return false }
    return owner.isOf(clientID: clientID)
  }
}

extension AccountDirectory {
  /// Removes an account's entries from what an import left over, and from every record that is not the account's own
  /// for the client.
  ///
  /// The hints stay, and so do the JSON objects of the keychain view.
  ///
  /// - Returns: Whether there was any.
  func removeEntries(
    of account: Account, clientID: String?, _ failures: inout RecordFailures
  ) async throws -> Bool {
    if account.identifier.isEmpty { return false }
    let removal = EntryRemoval(of: account, clientID: clientID, try await aliases)
    let kinds: [RecordKind] = [.credentials, .family, .client, .groupData]
    var existed = false
    for record in try await backend.records(matchingAny: kinds.map { .all($0) }) {
      let key = record.key
      guard key != Self.hintRecord, !key.isKeychainObject, let before = try? record.document() else {
        continue
      }
      var after = before
      removal.apply(to: &after, of: key)
      let isLeftover = key == CachePartitioner.leftovers
      // Also unchanged, what an import left over is written: that removes older copies of it.
      guard after != before || isLeftover else { continue }
      let isChanged = try await failures.attempt(key) {
        try await backend.update(key) { stored in
          guard var document = stored else { return false }
          removal.apply(to: &document, of: key)
          defer { stored = document }
          if isLeftover { document.metadata.raiseSignOutNumber() }
          return document.metadata.removalCount != stored?.metadata.removalCount
        }
      }
      existed = existed || isChanged == true
    }
    return existed
  }

  /// Returns the accounts with an identifier of which the group holds something, although nobody is signed in: what was
  /// set aside because it can't be read, and entries in any record.
  package func remains(of identifier: String) async throws -> [Account] {
    let stored = RecordKey.storedAccount(identifier)
    var environments: Set<String> = []
    let kinds: [RecordKind] = [.credentials, .family, .client, .groupData, .damaged]
    for record in try await backend.records(matchingAny: kinds.map { .all($0) }) {
      let key = record.key
      guard let document = try? record.document() else {
        if key.account == stored { environments.insert(key.environment) }
        continue
      }
      if key.kind == .damaged, key.account == stored { environments.insert(key.environment) }
      guard key != Self.hintRecord, !key.isKeychainObject else { continue }
      for owner in document.owners where RecordKey.storedAccount(owner.homeAccountID) == stored {
        environments.insert(owner.environment ?? key.environment)
      }
    }
    let accounts = environments.map { Account(identifier: identifier, username: "", environment: $0) }
    return Set(accounts).sortedByUsername()
  }

  /// Removes every entry that names an account, and every token, from the group's data.
  ///
  /// - Returns: Whether there was any.
  func removeAllEntriesFromGroupData(_ failures: inout RecordFailures) async throws -> Bool {
    var existed = false
    for record in try await backend.records(matching: .all(.groupData)) where !record.key.isKeychainObject {
      guard var after = try? record.document() else { continue }
      after.removeOwnedEntries()
      if (try? record.document()) == after { continue }
      existed = true
      try await failures.attempt(record.key) {
        try await backend.update(record.key) { stored in
          stored?.removeOwnedEntries()
          stored?.metadata.removalCount += 1
        }
      }
    }
    return existed
  }
}
