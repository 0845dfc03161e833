// SPDX-License-Identifier: MIT

extension CredentialEntry {
  /// The secret that older libraries leave in the place of a removed one.
  private static let tombstone = "<tombstone>"

  /// Whether it stands in the place of a removed credential.
  var isTombstone: Bool { secret == Self.tombstone }
}

extension CacheDocument {
  /// Whether the document holds what stands in the place of a removed credential.
  var hasTombstones: Bool { credentials.contains(where: \.isTombstone) }
}

extension KeychainView {
  /// Removes what stands in the place of removed credentials, and a family's record that held nothing else.
  ///
  /// Whoever comes across such a record is reading, and is not told when it fails: the next one tries again.
  func bury(in record: RecordKey) async {
    try? await backend.update(record) { stored in
      stored?.removeCredentials(where: \.isTombstone)
      if record.kind == .family && stored?.hasTokens == false { stored = nil }
    }
  }
}
