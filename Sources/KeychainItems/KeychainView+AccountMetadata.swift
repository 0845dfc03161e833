// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
public import UnifiedCache

extension KeychainView {
  /// Reads a client's account metadata.
  ///
  /// Sign-in states and the principal account are those of this app, and ``TokenCache`` uses the same ones. An
  /// account that the app signed out of with ``TokenCache/signOut(_:)`` is signed out here and has no authorities.
  /// Without an app there are no sign-in states and no principal account.
  ///
  /// - Returns: The metadata, or `nil` when there is none.
  /// - Throws: `invalidArgument` for a key without a service or with a control character; `corruptItem` when a
  ///   record of the client can't be read; and errors of the back end.
  public func accountMetadata(for key: KeychainItemKey) async throws -> KeychainAccountMetadata? {
    try Self.check(key)
    let own = KeychainItemKey(accountMetadataOf: key.service)
    guard KeychainItemQuery(key).matches(own) else { return nil }
    return try await records(ofClient: key.service).metadata(key.service)
  }

  /// Reads the account metadata of the clients that match a query, sorted by client.
  ///
  /// - Throws: `corruptItem` when a record of any client can't be read, and errors of the back end.
  public func accountMetadata(matching query: KeychainItemQuery) async throws -> [KeychainAccountMetadata] {
    let host = try await canonical(environment)
    let clients = try await backend.records(matching: .all(.client))
    let credentials = try await backend.records(matching: .all(.credentials))
    let known = Dictionary(grouping: clients, by: \.key.clientID)
    let used = Dictionary(grouping: credentials, by: \.key.clientID)
    return try Set(known.keys).union(used.keys).sorted().compactMap { client in
      let records = try KeychainClientRecords(
        app: app, host: host, clients: known[client] ?? [], credentials: used[client] ?? [])
      let names = records.clients.lazy.compactMap {
        $0.document.metadata.accountMetadata?["client_id"]?.stringValue
      }
      let name = names.first { RecordKey.storedClient($0) == client } ?? client
      return query.matches(KeychainItemKey(accountMetadataOf: name)) ? records.metadata(name) : nil
    }
  }

  /// Removes a client's account metadata: this app's sign-in states and principal account, and all authorities.
  ///
  /// Accounts and credentials stay.
  ///
  /// - Returns: Whether there was any.
  /// - Throws: The errors of ``accountMetadata(for:)``.
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
        document.metadata.accountMetadata = nil
        if let app { document.metadata[principalOf: app] = nil }
        stored = document
      }
    }
    return true
  }

  /// Removes all clients' metadata of an account: this app's sign-in states, and all authorities.
  ///
  /// - Returns: Whether there was any.
  /// - Throws: `invalidArgument` for an ID that is blank, has white space around it or holds a control character;
  ///   `corruptItem` when a record can't be read; and errors of the back end.
  @discardableResult
  public func removeAccountMetadata(homeAccountID: String) async throws -> Bool {
    try Self.check(homeAccountID: homeAccountID)
    let records = try KeychainClientRecords(
      app: app, host: try await canonical(environment),
      clients: try await backend.records(matching: .all(.client)),
      credentials: try await backend.records(matching: .all(.credentials, homeAccountID: homeAccountID)))
    var isRemoved = false
    for record in records.records(of: homeAccountID) where record.document.metadata[app] != nil {
      try await set(nil, in: record.key)
      isRemoved = true
    }
    for record in records.clients {
      let isChanged = try await backend.update(record.key) { stored in
        guard var document = stored, document.metadata.forgetAccount(homeAccountID) else { return false }
        stored = document
        return true
      }
      isRemoved = isRemoved || isChanged
    }
    return isRemoved
  }

  /// Reads all records of a client.
  func records(ofClient clientID: String) async throws -> KeychainClientRecords {
    try KeychainClientRecords(
      app: app, host: try await canonical(environment),
      clients: try await backend.records(matching: .client(clientID)),
      credentials: try await backend.records(matching: .credentials(ofClient: clientID)))
  }

  /// Sets the app's state in an account's record; does not create a record just to clear the state.
  func set(_ state: CacheDocument.SignInState?, in record: RecordKey) async throws {
    try await backend.update(record) { [app] stored in
      if stored == nil && state == nil || stored?.metadata[app] == state && stored != nil { return }
      var document = stored ?? CacheDocument()
      document.metadata[app] = state
      stored = document
    }
  }
}
