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
