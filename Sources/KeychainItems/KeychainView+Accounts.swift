// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
public import UnifiedCache

extension KeychainView {
  /// Saves an account in one tenant; members that only the stored account has stay.
  ///
  /// The account is stored in the record of every client that was used with it and is not signed out. If there is
  /// none, it is kept until a credential of the account is saved.
  ///
  /// - Throws: `invalidArgument` when the account ID is blank, has white space around it or holds a control
  ///   character; `corruptItem` when no record was written and one of them can't be read. Errors of the back
  ///   end; some records may have the account then: save it again.
  public func save(_ account: AccountEntry) async throws {
    try Self.check(homeAccountID: account.homeAccountID)
    let host = try await canonical(account.environment)
    let leftover = try await leftover(account)
    let account = leftover.map { account.merged(over: $0) } ?? account
    var hosted = account
    hosted.fields["environment"] = .string(host)
    let owners = CachePartitioner.owners(of: hosted)
    if try await store(account, in: owners) { return try await removeFromLeftovers(account) }
    try await backend.update(CachePartitioner.leftovers) { stored in
      var document = stored ?? CacheDocument()
      document.overwrite(with: account)
      stored = document
    }
    // A credential that was saved meanwhile may have found no account in the leftovers record.
    if try await store(account, in: owners) { try await removeFromLeftovers(account) }
  }

  /// Saves an account in the records of all clients that are not signed out, including records that appear
  /// meanwhile.
  ///
  /// - Returns: Whether a record was written.
  /// - Throws: `corruptItem` when no record was written and one of them can't be read.
  private func store(_ account: AccountEntry, in owners: RecordQuery) async throws -> Bool {
    var seen: Set<RecordKey> = []
    var isSaved = false
    var failure: SecretStoreError?
    while true {
      let records = try await backend.records(matching: owners).filter { seen.insert($0.key).inserted }
      if records.isEmpty { break }
      for record in records {
        if case .failure(let error) = record.content {
          failure = error
          continue
        }
        let isChanged = try await backend.update(record.key) { stored in
          guard var document = stored, !document.isSignedOut(for: nil) else { return false }
          document.overwrite(with: account)
          stored = document
          return true
        }
        isSaved = isSaved || isChanged
      }
    }
    if let failure, !isSaved { throw failure }
    return isSaved
  }

  /// Reads the account of a key.
  ///
  /// - Returns: The account in the key's tenant, or `nil` when there is none.
  /// - Throws: `ambiguousAccount` when several accounts, whose IDs or issuers differ by case only, have the key;
  ///   `corruptItem` when the account is not found and a record that may hold it can't be read; and errors of the
  ///   back end.
  public func account(for key: KeychainItemKey) async throws -> AccountEntry? {
    let search: KeychainSearch<AccountEntry> = try await search(KeychainItemQuery(key))
    return try search.only()
  }

  /// Reads the accounts that match a query, one for each tenant; skips entries and records that can't be read.
  ///
  /// - Throws: Errors of the back end.
  public func accounts(matching query: KeychainItemQuery) async throws -> [AccountEntry] {
    let search: KeychainSearch<AccountEntry> = try await search(query)
    return search.items
  }

  /// Removes the account of a key for all clients; its credentials and its other tenants stay.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: The errors of ``account(for:)``.
  @discardableResult
  public func removeAccount(_ key: KeychainItemKey) async throws -> Bool {
    let removed: AccountEntry? = try await removeItem(key)
    return removed != nil
  }
}
