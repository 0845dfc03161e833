// SPDX-License-Identifier: MIT

import UnifiedCache

/// The removal of families' refresh tokens that no client may use any more.
extension AccountDirectory {
  /// Removes an account's family refresh tokens that no client with a token for the account may use.
  ///
  /// A client that signs in meanwhile writes the family's record first; then the record stays.
  ///
  /// - Returns: Whether one with a token was removed.
  @discardableResult
  func removeUnusedFamilies(
    of homeAccountID: String, environment: String, _ failures: inout RecordFailures
  ) async throws -> Bool {
    var existed = false
    let families = try await backend.records(
      matchingAny: [.family, .damaged].map {
        .all($0, homeAccountID: homeAccountID, environment: environment)
      })
    for record in families {
      if record.key.kind == .damaged {
        guard !record.isMisnamedSetAside, let family = record.key.originalOfSetAside, family.kind == .family,
          try await !FamilyUse(backend: backend).isUsed(family)
        else { continue }
        try await failures.attempt(record.key) { try await backend.remove(record.key) }
        existed = true
        continue
      }
      let isRemoved = try await failures.attempt(record.key) { try await removeUnusedFamily(record) }
      existed = isRemoved == true || existed
    }
    return existed
  }

  private func removeUnusedFamily(_ record: Record) async throws -> Bool {
    let key = record.key
    var seen: Record? = record
    while let record = seen {
      let isUsed = try await FamilyUse(backend: backend).isUsed(key)
      if isUsed { return false }
      guard let document = try? record.document() else {
        try await backend.remove(key)
        return true
      }
      let isRemoved = try await backend.update(key) { stored in
        if stored?.metadata.revision == document.metadata.revision { stored = nil }
        return stored == nil
      }
      if isRemoved { return document.hasTokens }
      seen = try await backend.record(for: key)
    }
    return false
  }
}
