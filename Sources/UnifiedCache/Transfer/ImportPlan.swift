// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// The changes that an import of a unified cache makes, computed before anything is written.
///
/// A dry run computes the plan and does not execute it.
struct ImportPlan {
  private(set) var summary = ImportSummary()
  /// The merge for each record that the import writes.
  private(set) var merges: [RecordKey: RecordMerge] = [:]
  /// The merge for each record that holds already what the file has of it.
  private(set) var unchanged: [RecordKey: RecordMerge] = [:]
  private var removal = RecordRemoval()

  /// Computes the plan.
  init(
    _ parts: [RecordKey: CacheDocument], over stored: StoredGroup, _ options: ImportOptions,
    _ freshness: Freshness
  ) {
    let signedOut = SignedOutAccounts(in: stored)
    let names = SignedOutAccounts.names(in: parts)
    if options.replaces {
      let signIns = ImportedSignIns(parts, stored.aliases)
      removal = RecordRemoval(stored, besides: signIns) { parts[$0] != nil }
      summary.removed = removal.count
      summary.damaged = removal.damaged
      summary.changed = removal.records
    }
    for (key, part) in parts {
      var part = part
      if !options.replaces, signedOut.contains(key, named: names[key.accountName] ?? []) {
        summary.signedOut += 1
        continue
      }
      if !options.replaces, key == CachePartitioner.leftovers {
        let whole = part
        part.removeEntries(ownedBy: signedOut.contains)
        if part != whole { summary.signedOut += 1 }
        part.removeEmptyMembers(besides: whole)
        if part == CacheDocument() { continue }
      }
      let (isReadable, before) = summary.document(for: key, in: stored)
      if !isReadable { continue }
      let knownSignOutNumber = key == CachePartitioner.leftovers ? before?.metadata.signOutNumber ?? 0 : nil
      let merge = RecordMerge(
        incoming: part, replaces: options.replaces, signOutNumberOfOthers: stored.signOutNumberOfOthers(key),
        knownSignOutNumber: knownSignOutNumber, freshness: freshness)
      var document = before
      let outcome = merge.apply(to: &document)
      if let document, [.added, .updated].contains(outcome) {
        guard document.fitsRecord else {
          summary.oversized.append(ImportSummary.Oversized(key, part))
          continue
        }
        merges[key] = merge
        summary.changed.insert(key)
      }
      summary.note(outcome)
      if outcome == .unchanged { unchanged[key] = merge }
      if !options.replaces, outcome != .signedOut, let before {
        summary.conflicting += before.conflicts(with: part)
      }
    }
  }

  /// The number of records that the import changes.
  var steps: Int { removal.steps + merges.count }

  /// Removes the records that the file lacks.
  func remove(
    from backend: any TokenCacheBackend, at now: Date, _ progress: inout WorkProgress,
    _ failures: inout RecordFailures
  ) async throws {
    try await removal.remove(from: backend, at: now, &progress, &failures)
  }
}
