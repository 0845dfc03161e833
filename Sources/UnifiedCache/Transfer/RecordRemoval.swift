// SPDX-License-Identifier: MIT

/// The records that a replacing import removes: all tokens and accounts, in either format, that the file lacks.
///
/// Their accounts are signed out, so that no later import brings them back. What was set aside goes, too.
package struct RecordRemoval {
  /// The kinds of record that an imported file of either format may fill.
  private static let kinds: [RecordKind] = [.credentials, .family, .client, .legacy]

  private var keys: [RecordKey] = []
  private var setAside: [RecordKey] = []
  private var hasLeftovers = false
  /// The number of records that hold tokens.
  package private(set) var count = 0

  /// The records that can't be read.
  ///
  /// They are kept, because their content may still be recoverable.
  package private(set) var damaged: [DamagedRecord] = []

  package init() {}

  /// The number of records that the removal changes.
  package var steps: Int { keys.count + setAside.count + (hasLeftovers ? 1 : 0) }

  /// Collects the records to remove.
  ///
  /// - Parameter isKept: Whether the file has entries for a record.
  package init(_ stored: StoredGroup, where isKept: (RecordKey) -> Bool) {
    for record in Self.kinds.flatMap(stored.records) where !isKept(record.key) {
      guard let document = try? record.document() else {
        damaged += [DamagedRecord(record)].compactMap(\.self)
        continue
      }
      let holdsTokens = document.hasTokens || document.adalToken?.kind != nil
      if holdsTokens { count += 1 }
      if holdsTokens || record.key.kind != .legacy { keys.append(record.key) }
    }
    setAside = stored.records(.damaged).map(\.key).filter(\.isSetAsideSignIn)
    count += setAside.count
    hasLeftovers = !isKept(CachePartitioner.leftovers) && stored.record(CachePartitioner.leftovers) != nil
  }

  /// Removes the tokens and accounts from the records.
  package func remove(
    from backend: any TokenCacheBackend, _ progress: inout WorkProgress, _ failures: inout RecordFailures
  ) async throws {
    for key in keys {
      let change: Void? = try await failures.attempt(key) {
        try await backend.update(key) { Self.removeEntries(of: key, from: &$0) }
      }
      if change != nil { progress.finishItem() }
    }
    for key in setAside + (hasLeftovers ? [CachePartitioner.leftovers] : []) {
      let removal: Void? = try await failures.attempt(key) { try await backend.remove(key) }
      if removal != nil { progress.finishItem() }
    }
  }

  private static func removeEntries(of key: RecordKey, from stored: inout CacheDocument?) {
    guard key.kind != .legacy else {
      stored?.signOutOfADAL(nil)
      return
    }
    let hadTokens = stored?.hasTokens == true
    stored?.removeAllEntries()
    // A client's own tokens belong to no account that could be signed out.
    if hadTokens && key.kind != .client { stored?.metadata.signOutCount += 1 }
    if hadTokens { stored?.metadata.removalCount += 1 }
  }
}
