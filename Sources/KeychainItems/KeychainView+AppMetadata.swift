// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
public import UnifiedCache

extension KeychainView {
  /// Saves a client's metadata over the stored metadata; unknown members stay.
  ///
  /// The metadata is stored in the record of each account that was used with the client. It is also stored in the
  /// client's own record if that already has metadata, or if no account's record took it. Records of accounts that
  /// can't be read are skipped.
  ///
  /// - Throws: `corruptItem` when the client's own record can't be read. Errors of the back end; some records may
  ///   have the metadata then: save it again.
  public func save(_ metadata: AppMetadataEntry) async throws {
    let host = try await canonical(metadata.environment)
    var hosted = metadata
    hosted.fields["environment"] = .string(host)
    let client = RecordKey.client(metadata.clientID, environment: host)
    var isSaved = false
    for record in try await backend.records(matching: .credentials(ofClient: metadata.clientID))
    where CachePartitioner.isOwner(record.key, of: hosted) {
      if (try? record.document()) == nil { continue }
      let isChanged = try await backend.update(record.key) { stored in
        stored?.overwrite(with: metadata)
        return stored != nil
      }
      isSaved = isSaved || isChanged
    }
    let known = try await backend.record(for: client)?.document().appMetadata ?? []
    if isSaved && known.isEmpty { return }
    try await backend.update(client) { stored in
      var document = stored ?? CacheDocument()
      document.overwrite(with: metadata)
      stored = document
    }
  }

  /// Reads a client's metadata by its key.
  ///
  /// - Returns: The metadata, or `nil` when there is none.
  /// - Throws: `invalidArgument` for a key without a service or with a control character; `corruptItem` when the
  ///   metadata is not found and a record that may hold it can't be read; and errors of the back end.
  public func appMetadata(for key: KeychainItemKey) async throws -> AppMetadataEntry? {
    try Self.check(key)
    let search: KeychainSearch<AppMetadataEntry> = try await search(KeychainItemQuery(key))
    return try search.only()
  }

  /// Reads the metadata of clients that match a query; skips entries and records that can't be read.
  ///
  /// - Throws: Errors of the back end.
  public func appMetadata(matching query: KeychainItemQuery) async throws -> [AppMetadataEntry] {
    let search: KeychainSearch<AppMetadataEntry> = try await search(query)
    return search.items
  }

  /// Removes a client's metadata by its key, from all records.
  ///
  /// - Returns: Whether there was any.
  /// - Throws: The errors of ``appMetadata(for:)``.
  @discardableResult
  public func removeAppMetadata(_ key: KeychainItemKey) async throws -> Bool {
    try Self.check(key)
    let removed: AppMetadataEntry? = try await removeItem(key)
    return removed != nil
  }
}
