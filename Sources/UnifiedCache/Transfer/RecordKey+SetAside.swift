// SPDX-License-Identifier: MIT

extension Record {
  /// Whether the item was set aside and holds another record than its attributes name.
  ///
  /// Any program can change attributes, so the item is not removed with the record that they name.
  package var isMisnamedSetAside: Bool {
    key.kind == .damaged && statedKey.map { $0 != key.originalOfSetAside } == true
  }
}

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
