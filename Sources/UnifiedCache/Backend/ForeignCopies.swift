// SPDX-License-Identifier: MIT

/// A back end where another program may have the only copy of a record.
///
/// Reads find such a copy, as long as there is no other one.
package protocol ForeignCopies: TokenCacheBackend {
  /// Returns the records of which only other programs have a copy.
  nonisolated(nonsending) func recordsOfOthers() async throws -> Set<RecordKey>
}
