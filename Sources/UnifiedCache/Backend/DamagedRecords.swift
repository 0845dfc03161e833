// SPDX-License-Identifier: MIT

/// A back end that sets aside a record that can't be read, so that another one can take its place.
package protocol DamagedRecords: TokenCacheBackend {
  /// Keeps what is stored in a record's place under another key, if it can't be read.
  ///
  /// - Returns: Whether it was set aside.
  nonisolated(nonsending) func setAsideDamaged(_ key: RecordKey) async throws -> Bool
}
