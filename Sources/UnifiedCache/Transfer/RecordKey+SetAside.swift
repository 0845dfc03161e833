// SPDX-License-Identifier: MIT

extension RecordKey {
  /// Whether the key belongs to an item that was set aside because it only had a marker's attributes.
  package var isSetAsideMarker: Bool { kind == .damaged && originalOfSetAside?.kind == .group }

  /// Whether the key belongs to an item that was set aside and may hold accounts or their tokens.
  package var isSetAsideSignIn: Bool {
    guard kind == .damaged else { return false }
    guard let original = originalOfSetAside else { return !account.isEmpty || !clientID.isEmpty }
    return [.credentials, .family, .client, .legacy].contains(original.kind)
      || original == CachePartitioner.leftovers
  }

  /// The record to which a set-aside item belonged; `nil` for any other item.
  package var originalOfSetAside: RecordKey? {
    let parts = key.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let original = RecordKind(rawValue: String(parts[0])),
      original != .damaged
    else { return nil }
    return RecordKey(
      kind: original, account: account, environment: environment, clientID: clientID, familyID: familyID,
      key: String(parts[2]))
  }
}
