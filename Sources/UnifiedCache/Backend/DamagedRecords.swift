// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// A back end where another program can damage the item of a record, or replace the keyring that it is in.
package protocol DamagedRecords: TokenCacheBackend {
  /// Sets aside the items that keep a record from being read, with their content.
  ///
  /// An item that a newer version wrote stays: that version reads it.
  ///
  /// - Parameter time: The time at which the record could be read, in whole seconds since 1970. What was set aside
  ///   before says nothing of what has become of the record since.
  /// - Returns: Whether an item of the record was set aside since that time, also by another process.
  nonisolated(nonsending) func setAside(_ key: RecordKey, since time: Int) async throws -> Bool

  /// Sees to it that a stored record could be saved now, before its refresh token is sent, which may be spent then.
  ///
  /// - Throws: The error of making the group, where the record is only in a keyring that is not the group's;
  ///   `groupLocked` where nothing shows that it is.
  nonisolated(nonsending) func requirePlace(of key: RecordKey) async throws

  /// Has the next change look again whether the places of the group's records are still the group's, unless that was
  /// seen less than 50 milliseconds ago.
  nonisolated(nonsending) func forgetPlaces() async
}

extension TokenCacheBackend {
  /// Sets aside the items that keep a record from being read; see ``DamagedRecords/setAside(_:since:)``.
  ///
  /// - Returns: `false` also for a back end where no other program can damage an item.
  package func setAsideDamaged(_ key: RecordKey, since time: Int) async throws -> Bool {
    try await (self as? any DamagedRecords)?.setAside(key, since: time) == true
  }

  /// Ends the making of a record again whose damaged item was set aside during a refresh.
  ///
  /// A removal of everything also removes what was set aside. One that came just before the record was made again has
  /// not found that: it goes, too, unless somebody has signed in since.
  ///
  /// - Parameter made: The document that was written.
  /// - Returns: Whether the record stays.
  /// - Throws: `corruptItem` where another program has damaged the new record, too.
  package func keepsRestored(
    _ key: RecordKey, as made: CacheDocument
  ) async throws -> Bool {
    if try await setAsideDamaged(key, since: 0) {
      let stored = try await record(for: key)
      if (try? stored?.document()) != nil { return true }
      throw SecretStoreError(.corruptItem, "Another program goes on damaging the record.")
    }
    return try await update(key) { stored in
      guard let document = stored, document.metadata.revision == 1,
        document.withoutMetadata == made.withoutMetadata
      else { return stored != nil }
      stored = nil
      return false
    }
  }
}

extension UnixTime {
  /// The time of the system's clock, in whole seconds since 1970, as the providers of the Secret Service give times.
  package static var now: Int { Int(Date().timeIntervalSince1970) }
}
