// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension KeychainView {
  /// Saves what is known of a client over what was; members that this version doesn't know stay.
  ///
  /// It goes to the record of each account that has been used with the client, or to the client's own when there is
  /// none.
  ///
  /// - Throws: `corruptItem` when a record that can't be read is the only one, or the client's own; and whatever the
  ///   back end throws, and then some records may have it: save it again.
  public func save(_ metadata: AppMetadataEntry) async throws {
    let host = try await canonical(metadata.environment)
    var hosted = metadata
    hosted.fields["environment"] = .string(host)
    let client = RecordKey.client(metadata.clientID, environment: host)
    var isKept = false
    for record in try await backend.records(matching: .credentials(ofClient: metadata.clientID))
    where CacheSplitter.isOwner(record.key, of: hosted) {
      if (try? record.document()) == nil { continue }
      let isHere = try await backend.update(record.key) { stored in
        stored?.keep(metadata)
        return stored != nil
      }
      isKept = isKept || isHere
    }
    let known = try await backend.record(for: client)?.document().appMetadata ?? []
    if isKept && known.isEmpty { return }
    try await backend.update(client) { stored in
      var document = stored ?? CacheDocument()
      document.keep(metadata)
      stored = document
    }
  }

  /// What is known of a client, by its key.
  ///
  /// - Returns: The metadata, or `nil` when nothing is known.
  /// - Throws: `invalidArgument` for a key without a service; `corruptItem` when it is not found and a record that may
  ///   hold it can't be read; and whatever the back end throws.
  public func appMetadata(for key: KeychainItemKey) async throws -> AppMetadataEntry? {
    try Self.check(key)
    let search: KeychainSearch<AppMetadataEntry> = try await search(KeychainItemQuery(key))
    return try search.only()
  }

  /// What is known of clients that a query finds; entries that can't be read are passed over.
  ///
  /// - Throws: `corruptItem` when a record that may hold one can't be read, and whatever the back end throws.
  public func appMetadata(matching query: KeychainItemQuery) async throws -> [AppMetadataEntry] {
    let search: KeychainSearch<AppMetadataEntry> = try await search(query)
    return try search.all()
  }

  /// Removes what is known of a client by its key, wherever it stands.
  ///
  /// - Returns: Whether there was anything.
  /// - Throws: As ``appMetadata(for:)`` does; and whatever the back end throws.
  @discardableResult
  public func removeAppMetadata(_ key: KeychainItemKey) async throws -> Bool {
    try Self.check(key)
    let removed: AppMetadataEntry? = try await removeItem(key)
    return removed != nil
  }
}
