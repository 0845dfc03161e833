// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension KeychainView {
  /// Saves an account in one tenant over the previous one: what only that one has stays.
  ///
  /// It goes to the record of every client that has been used with the account and is not signed out. When there is
  /// none it is kept until a credential of the account is saved.
  ///
  /// - Throws: `invalidArgument` when the account's id has white space around it; `corruptItem` when none of the
  ///   records can be read; and whatever the back end throws, and then some records may have it: save it again.
  public func save(_ account: AccountEntry) async throws {
    try Self.check(homeAccountID: account.homeAccountID)
    let host = try await canonical(account.environment)
    let leftover = try await leftover(account)
    let account = leftover.map { account.merged(over: $0) } ?? account
    var hosted = account
    hosted.fields["environment"] = .string(host)
    let owners = CacheSplitter.owners(of: hosted)
    if try await give(account, to: owners) { return try await takeFromLeftovers(account) }
    try await backend.update(CacheSplitter.leftovers) { stored in
      var document = stored ?? CacheDocument()
      document.keep(account)
      stored = document
    }
    // A credential may have been saved meanwhile, and have found no account left over.
    if try await give(account, to: owners) { try await takeFromLeftovers(account) }
  }

  /// Saves an account in each record of its clients that is not signed out, and in those that appear meanwhile.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: `corruptItem` when those that there are can't be read.
  private func give(_ account: AccountEntry, to owners: RecordQuery) async throws -> Bool {
    var seen: Set<RecordKey> = []
    var isKept = false
    var failure: SecretStoreError?
    while true {
      let records = try await backend.records(matching: owners).filter { seen.insert($0.key).inserted }
      if records.isEmpty { break }
      for record in records {
        if case .failure(let error) = record.content {
          failure = error
          continue
        }
        let isHere = try await backend.update(record.key) { stored in
          guard var document = stored, !document.isSignedOut(for: nil) else { return false }
          document.keep(account)
          stored = document
          return true
        }
        isKept = isKept || isHere
      }
    }
    if let failure, !isKept { throw failure }
    return isKept
  }

  /// The account of a key.
  ///
  /// - Returns: The account in the key's tenant, or `nil` when there is none.
  /// - Throws: `ambiguousAccount` when accounts whose ids differ by case have that key; `corruptItem` when it is not
  ///   found and a record that may hold it can't be read; and whatever the back end throws.
  public func account(for key: KeychainItemKey) async throws -> AccountEntry? {
    let search: KeychainSearch<AccountEntry> = try await search(KeychainItemQuery(key))
    return try search.only()
  }

  /// The accounts that a query finds, one for each tenant; those that can't be read are passed over.
  ///
  /// - Throws: `corruptItem` when a record that may hold one can't be read, and whatever the back end throws.
  public func accounts(matching query: KeychainItemQuery) async throws -> [AccountEntry] {
    let search: KeychainSearch<AccountEntry> = try await search(query)
    return try search.all()
  }

  /// Removes the account of a key, for all clients; its credentials and its other tenants stay.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: As ``account(for:)`` does; and whatever the back end throws.
  @discardableResult
  public func removeAccount(_ key: KeychainItemKey) async throws -> Bool {
    let removed: AccountEntry? = try await removeItem(key)
    return removed != nil
  }
}
