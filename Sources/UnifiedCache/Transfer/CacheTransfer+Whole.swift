// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Completes an account's records when another process empties the group during an import.
extension CacheTransfer {
  private struct Owner: Hashable {
    let account: String
    let environment: String

    init(_ key: RecordKey) { (account, environment) = (key.account, key.environment) }
  }

  /// The maximum number of times that removed records are written again.
  private static let maximumRounds = 20

  /// Writes records again that were removed while other records of the same account exist.
  ///
  /// A process that empties the group repeats its search until it finds nothing. So a record that exists now was
  /// written after that, and its account must be complete. That includes records which the import found unchanged.
  ///
  /// - Throws: `storageFailed` when records are still missing after ``maximumRounds`` attempts.
  func complete(_ plan: ImportPlan) async throws {
    let written = Set(plan.merges.keys.map(Owner.init))
    let merges = plan.merges.merging(plan.unchanged.filter { written.contains(Owner($0.key)) }) { merge, _ in
      merge
    }
    for round in 0..<Self.maximumRounds {
      let missing = try await missing(of: merges)
      if missing.isEmpty { return }
      // Gives the process that empties the group time to finish.
      try await Task.sleep(for: .milliseconds(10 * (round + 1)))
      for key in missing {
        guard let merge = merges[key] else { continue }
        try await backend.update(key) { _ = merge.apply(to: &$0) }
      }
    }
    throw SecretStoreError(.storageFailed, "Somebody keeps removing what is imported; import again later.")
  }

  /// Returns the missing records of accounts that have another record of the import.
  private func missing(of merges: [RecordKey: RecordMerge]) async throws -> [RecordKey] {
    let kinds = [RecordKind.credentials, .family]
    let wanted = merges.filter { kinds.contains($0.key.kind) && $0.value.incoming.hasTokens }
    if Set(wanted.keys.map(Owner.init)).count == wanted.count { return [] }
    let stored = try await backend.records(matchingAny: kinds.map { .all($0) }).filter {
      wanted[$0.key] != nil
    }
    let present = Set(stored.filter { (try? $0.document())?.hasTokens == true }.map { Owner($0.key) })
    let there = Set(stored.map(\.key))
    var missing: [RecordKey] = []
    for key in wanted.keys where present.contains(Owner(key)) && !there.contains(key) {
      // A family refresh token is also removed with the last client that may use it.
      if key.kind == .family, try await !FamilyUse(backend: backend).isUsed(key) { continue }
      missing.append(key)
    }
    return missing
  }
}

extension RecordKey {
  /// Returns whether this record is imported before another one.
  ///
  /// The records of an account are imported together, those of its families first.
  func precedes(_ other: RecordKey) -> Bool {
    func rank(_ kind: RecordKind) -> Int { kind == .family ? 0 : 1 }
    return (account, environment, rank(kind), clientID, familyID, key)
      < (other.account, other.environment, rank(other.kind), other.clientID, other.familyID, other.key)
  }
}
