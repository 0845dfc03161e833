// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension KeychainView {
  /// What a client knows of its accounts, as the store has it now.
  ///
  /// Sign-in state and principal account are those of this app, and the same that ``TokenCache`` keeps: an account
  /// that the app signed out of by ``TokenCache/signOut(_:)`` is signed out here, and has no authorities. Without an
  /// app neither is known.
  ///
  /// - Returns: The metadata, or `nil` when nothing is known.
  /// - Throws: `invalidArgument` for a key without a service; `corruptItem` when a record of the client can't be
  ///   read; and whatever the back end throws.
  public func accountMetadata(for key: KeychainItemKey) async throws -> KeychainAccountMetadata? {
    try Self.check(key)
    let own = KeychainItemKey(accountMetadataOf: key.service)
    guard KeychainItemQuery(key).matches(own) else { return nil }
    return try await records(ofClient: key.service).metadata(key.service)
  }

  /// What the clients that a query finds know of their accounts, sorted by client.
  ///
  /// - Throws: `corruptItem` when a record that says so can't be read, and whatever the back end throws.
  public func accountMetadata(matching query: KeychainItemQuery) async throws -> [KeychainAccountMetadata] {
    let host = try await canonical(environment)
    let clients = try await backend.records(matching: .all(.client))
    let credentials = try await backend.records(matching: .all(.credentials))
    return try Set((clients + credentials).map(\.key.clientID)).sorted().compactMap { client in
      let records = try KeychainClientRecords(
        app: app, host: host, clients: clients.filter { $0.key.clientID == client },
        credentials: credentials.filter { $0.key.clientID == client })
      let names = records.clients.lazy.compactMap {
        $0.document.sharing.accountMetadata?["client_id"]?.stringValue
      }
      let name = names.first { RecordKey.storedClient($0) == client } ?? client
      return query.matches(KeychainItemKey(accountMetadataOf: name)) ? records.metadata(name) : nil
    }
  }

  /// Removes what a client knows of its accounts, by its key: this app's sign-in states and principal account, and
  /// all authorities.
  ///
  /// Accounts and credentials stay.
  ///
  /// - Returns: Whether anything was known.
  /// - Throws: As ``accountMetadata(for:)`` does; and whatever the back end throws.
  @discardableResult
  public func removeAccountMetadata(_ key: KeychainItemKey) async throws -> Bool {
    guard let metadata = try await accountMetadata(for: key) else { return false }
    let records = try await records(ofClient: key.service)
    for identifier in metadata.homeAccountIDs {
      for record in records.records(of: identifier) { try await set(nil, in: record.key) }
    }
    for record in records.clients {
      try await backend.update(record.key) { [app] stored in
        guard var document = stored else { return }
        document.sharing.accountMetadata = nil
        if let app { document.sharing[principalOf: app] = nil }
        stored = document
      }
    }
    return true
  }

  /// Removes what all clients know of an account: this app's sign-in states, and all authorities.
  ///
  /// - Returns: Whether anything was known.
  /// - Throws: `invalidArgument` for a blank id; `corruptItem` when a record can't be read; and whatever the back end
  ///   throws.
  @discardableResult
  public func removeAccountMetadata(homeAccountID: String) async throws -> Bool {
    try Self.check(homeAccountID: homeAccountID)
    let records = try KeychainClientRecords(
      app: app, host: try await canonical(environment),
      clients: try await backend.records(matching: .all(.client)),
      credentials: try await backend.records(matching: .all(.credentials, homeAccountID: homeAccountID)))
    var isRemoved = false
    for record in records.records(of: homeAccountID) where record.document.sharing[app] != nil {
      try await set(nil, in: record.key)
      isRemoved = true
    }
    for record in records.clients {
      let isHere = try await backend.update(record.key) { stored in
        guard var document = stored, document.sharing.forgetAccount(homeAccountID) else { return false }
        stored = document
        return true
      }
      isRemoved = isRemoved || isHere
    }
    return isRemoved
  }

  /// All that the store has of a client.
  func records(ofClient clientID: String) async throws -> KeychainClientRecords {
    try KeychainClientRecords(
      app: app, host: try await canonical(environment),
      clients: try await backend.records(matching: .client(clientID)),
      credentials: try await backend.records(matching: .credentials(ofClient: clientID)))
  }

  /// Sets the app's state in an account's record; a record is not made only to say that nothing is known.
  func set(_ state: SharingState.SignInState?, in record: RecordKey) async throws {
    try await backend.update(record) { [app] stored in
      if stored == nil && state == nil || stored?.sharing[app] == state && stored != nil { return }
      var document = stored ?? CacheDocument()
      document.sharing[app] = state
      stored = document
    }
  }
}
