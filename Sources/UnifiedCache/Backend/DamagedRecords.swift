// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A back end where another program can damage the item of a record, or replace the keyring that it is in.
package protocol DamagedRecords: TokenCacheBackend {
  /// Sets aside the items that keep a record from being read, with their content.
  ///
  /// An item that a newer version wrote stays: that version reads it.
  ///
  /// - Returns: Whether an item of the record is set aside, also by another process before, so that the record can be
  ///   stored again.
  nonisolated(nonsending) func setAside(_ key: RecordKey) async throws -> Bool

  /// Has the next change look again whether the places of the group's records are still the group's.
  nonisolated(nonsending) func forgetPlaces() async
}

extension TokenCacheBackend {
  /// Sets aside the items that keep a record from being read; see ``DamagedRecords/setAside(_:)``.
  ///
  /// - Returns: `false` also for a back end where no other program can damage an item.
  package func setAsideDamaged(_ key: RecordKey) async throws -> Bool {
    try await (self as? any DamagedRecords)?.setAside(key) == true
  }
}
