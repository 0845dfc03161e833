// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Completes an account's records when another process empties the group during an import.
extension CacheTransfer {
  /// Writes records again that were removed while other records of the same account exist.
  ///
  /// That includes records which the import found unchanged.
  func complete(_ plan: ImportPlan, _ wrote: (RecordKey, CacheDocument) -> Void) async throws {
    let written = Set(plan.merges.keys.map(\.accountName))
    let unchanged = plan.unchanged.filter { written.contains($0.key.accountName) }
    let merges = plan.merges.merging(unchanged) { merge, _ in merge }
    let kinds = [RecordKind.credentials, .family]
    let tokens = merges.filter { kinds.contains($0.key.kind) && $0.value.incoming.hasTokens }
    let completion = ImportCompletion(
      backend: backend, kinds: kinds, owners: tokens.reduce(into: [:]) { $0[$1.key] = $1.key.accountName },
      holdsTokens: \.hasTokens)
    // A family refresh token is also removed with the last client that may use it.
    try await completion.run(
      isNeeded: { [backend] in
        $0.kind == .family ? try await FamilyUse(backend: backend).isUsed($0) : true
      },
      write: { [backend] key in
        guard let merge = merges[key] else { return }
        defer { wrote(key, merge.incoming) }
        try await backend.update(key) { _ = merge.apply(to: &$0) }
      })
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
