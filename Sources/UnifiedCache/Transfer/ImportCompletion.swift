// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The records of an import that must exist together, by the account that owns them.
///
/// A process that empties the group meanwhile repeats its search until it finds nothing. So a record that exists now
/// was written after that, and its account must be complete.
package struct ImportCompletion<Owner: Hashable & Sendable>: Sendable {
  /// The maximum number of times that removed records are written again.
  private static var maximumRounds: Int { 20 }

  private let backend: any TokenCacheBackend
  private let kinds: [RecordKind]
  private let owners: [RecordKey: Owner]
  private let holdsTokens: @Sendable (CacheDocument) -> Bool

  /// Creates a completion of an import.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the records.
  ///   - owners: The account of each record with tokens that the import has written or found unchanged.
  ///   - holdsTokens: Returns whether a document holds a token of its account.
  package init(
    backend: any TokenCacheBackend, kinds: [RecordKind], owners: [RecordKey: Owner],
    holdsTokens: @escaping @Sendable (CacheDocument) -> Bool
  ) {
    (self.backend, self.kinds, self.owners, self.holdsTokens) = (backend, kinds, owners, holdsTokens)
  }

  /// Writes records again that were removed while other records of the same account exist.
  ///
  /// - Parameters:
  ///   - isNeeded: Returns whether a missing record belongs to its account still.
  ///   - write: Writes a record.
  /// - Throws: `storageFailed` when records are still missing after ``maximumRounds`` attempts; errors of the back end.
  package func run(
    isNeeded: (RecordKey) async throws -> Bool = { _ in true }, write: (RecordKey) async throws -> Void
  ) async throws {
    if Set(owners.values).count == owners.count { return }
    for round in 0..<Self.maximumRounds {
      var missing: [RecordKey] = []
      for key in try await absent() where try await isNeeded(key) { missing.append(key) }
      if missing.isEmpty { return }
      // Gives the process that empties the group time to finish.
      try await Task.sleep(for: .milliseconds(10 * (round + 1)))
      for key in missing { try await write(key) }
    }
    throw SecretStoreError(.storageFailed, "Somebody keeps removing what is imported; import again later.")
  }

  /// Returns the absent records of accounts that have another record of the import.
  private func absent() async throws -> [RecordKey] {
    let stored = try await backend.records(matchingAny: kinds.map { .all($0) })
      .filter { owners[$0.key] != nil }
    let present = Set(
      stored.filter { (try? $0.document()).map(holdsTokens) == true }.compactMap { owners[$0.key] })
    let there = Set(stored.map(\.key))
    return owners.filter { present.contains($0.value) && !there.contains($0.key) }.map(\.key)
  }
}
