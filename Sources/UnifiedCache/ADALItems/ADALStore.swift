// SPDX-License-Identifier: MIT

package import KeychainGroupModel

/// The ADAL items of a group, which are read by client and written one at a time.
package struct ADALStore: Sendable {
  /// An item with its record's key and metadata.
  package struct Stored: Sendable {
    package let key: RecordKey
    package let token: ADALToken
    package let metadata: DocumentMetadata
    /// The time just before the item was read; see ``DamagedRecords/setAside(_:since:)``.
    package let readAt: Int
  }

  package let backend: any TokenCacheBackend

  package init(backend: any TokenCacheBackend) {
    self.backend = backend
  }

  /// Reads the items of a client, and of the given families; skips items that can't be read.
  package func items(ofClient clientID: String, families: Set<String> = []) async throws -> [Stored] {
    let readAt = UnixTime.now
    let familyQueries = families.sorted().map { RecordQuery.legacy(ofClient: ADALToken.familyPrefix + $0) }
    return Self.items(
      in: try await backend.records(matchingAny: [.legacy(ofClient: clientID)] + familyQueries),
      readAt: readAt)
  }

  /// Reads the items of a client and of its families: those that the client's items name, and family `1`.
  package func itemsWithFamily(ofClient clientID: String) async throws -> [Stored] {
    let items = try await items(ofClient: clientID, families: ["1"])
    let others = Set(items.compactMap(\.token.familyID)).subtracting(["1"])
    if others.isEmpty { return items }
    return try await self.items(ofClient: clientID, families: others.union(["1"]))
  }

  /// Reads every item of the group.
  package func items() async throws -> [Stored] {
    let readAt = UnixTime.now
    return Self.items(in: try await backend.records(matching: .all(.legacy)), readAt: readAt)
  }

  /// Returns the items among records; skips those that can't be read.
  ///
  /// - Parameter readAt: The time just before the records were read, for a caller that redeems a token of theirs.
  package static func items(in records: [Record], readAt: Int = UnixTime.now) -> [Stored] {
    records.compactMap { record in
      guard let document = try? record.document(), let token = document.adalToken else { return nil }
      return Stored(key: record.key, token: token, metadata: document.metadata, readAt: readAt)
    }
  }

  /// Stores items in place of those with the same authority, resource, client and user.
  ///
  /// If the app signed out of the user during a refresh, the record continues to say so. An item whose tokens were
  /// removed during the refresh stays empty. One that another program has damaged during it is set aside, if a repair
  /// has not done so, and made again.
  ///
  /// - Parameters:
  ///   - app: The app that the items are for, which then counts as signed in; `nil` for no particular app.
  ///   - redeemed: The item of the refresh token that was redeemed for them; `nil` for a sign-in.
  /// - Throws: `invalidArgument` when an identifier in one of the items holds a control character; nothing is stored
  ///   then.
  package func save(_ tokens: [ADALToken], for app: AppIdentifier?, redeemed: Stored? = nil) async throws {
    for name in tokens.compactMap(\.unsafeIdentifier) {
      throw SecretStoreError(
        .invalidArgument, "ADAL's \(name) holds a control character or too many combining marks.")
    }
    var failures = RecordFailures()
    for token in tokens {
      let key = RecordKey.legacy(token)
      try await failures.attempt(key) { try await save(token, in: key, for: app, redeemed: redeemed) }
    }
    try failures.check()
  }

  /// Stores an item.
  ///
  /// - Parameter isSetAside: Whether the record's item was set aside, so that the record is missing.
  private func save(
    _ token: ADALToken, in key: RecordKey, for app: AppIdentifier?, redeemed: Stored?,
    isSetAside: Bool = false
  ) async throws {
    let known = redeemed?.key == key ? redeemed?.metadata : nil
    let readAt = redeemed?.readAt ?? UnixTime.now
    do {
      let isMissing = try await backend.update(key) { stored in
        var document = stored ?? CacheDocument()
        if stored == nil, let known {
          guard isSetAside else { return true }
          document.metadata = known
        }
        if let known, document.metadata.signOutNumber != known.signOutNumber { return false }
        document.adalToken = token
        if redeemed == nil || document.metadata[app] != .signedOut { document.metadata[app] = .signedIn }
        stored = document
        return false
      }
      if isSetAside, !isMissing {
        var made = CacheDocument()
        made.adalToken = token
        _ = try await backend.keepsRestored(key, as: made)
      }
      guard isMissing, try await backend.setAsideDamaged(key, since: readAt) else { return }
    } catch let error as SecretStoreError where error.code == .corruptItem && redeemed != nil && !isSetAside {
      guard try await backend.setAsideDamaged(key, since: readAt) else { throw error }
    }
    try await save(token, in: key, for: app, redeemed: redeemed, isSetAside: true)
  }

  /// Replaces the item of a refresh token that the server refused with a tombstone, unless it holds another token
  /// by now.
  package func reject(_ secret: String, in key: RecordKey) async throws {
    try await backend.update(key) { stored in
      if stored?.adalToken?.refreshToken == secret { stored?.replaceADALTokenWithTombstone() }
    }
  }
}
