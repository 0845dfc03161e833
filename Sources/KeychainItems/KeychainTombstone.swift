// SPDX-License-Identifier: MIT

import UnifiedCache

extension CredentialEntry {
  /// The secret that older libraries store in place of a removed credential.
  private static let tombstone = "<tombstone>"

  /// Whether the entry is the tombstone of a removed credential.
  var isTombstone: Bool { secret == Self.tombstone }
}

extension CacheDocument {
  /// Whether the document holds tombstones.
  var hasTombstones: Bool { credentials.contains(where: \.isTombstone) }
}

extension KeychainView {
  /// Removes tombstones, and a family's record that has no tokens left.
  ///
  /// The caller is only reading. So errors are ignored; the next look-up tries again.
  func removeTombstones(in record: RecordKey) async {
    try? await backend.update(record) { stored in
      stored?.removeCredentials(where: \.isTombstone)
      if record.kind == .family && stored?.hasTokens == false { stored = nil }
    }
  }
}
