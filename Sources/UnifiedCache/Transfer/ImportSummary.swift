// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// The result of an import or of a dry run.
public struct ImportSummary: Sendable, Hashable {
  /// The number of new records.
  public package(set) var added = 0
  /// The number of changed records.
  public package(set) var updated = 0
  /// The number of records that already held the same or newer entries.
  public package(set) var unchanged = 0
  /// The number of the file's records that belong to signed-out accounts and were not imported.
  public package(set) var signedOut = 0
  /// The number of records that the file lacks and that were emptied or removed, only with `replaces`.
  public package(set) var removed = 0
  /// The group's records that can't be read.
  ///
  /// They are unchanged, and the file's entries for them were not imported.
  public package(set) var damaged: [DamagedRecord] = []
  /// The parts of the file that are too large for a record, or hold a token of 1 MB or more.
  ///
  /// They were not imported, and what is stored of their accounts and clients is unchanged.
  public package(set) var oversized: [Oversized] = []
  /// The number of the file's entries that could not be read.
  public package(set) var unreadable = 0
  /// The number of the file's entries of kinds that this version doesn't know, and that the group has with another
  /// content; for a copy of a group, of an app's secrets and own items.
  ///
  /// The group's stay as they are.
  public package(set) var conflicting = 0
  /// The records of the other group that can't be read and were not copied, only for a copy of a group.
  public package(set) var leftOut: [DamagedRecord] = []
  /// The records that the import changes or removes.
  package var changed: Set<RecordKey> = []

  /// Creates a summary, for tests and previews of an app.
  public init(
    added: Int = 0, updated: Int = 0, unchanged: Int = 0, signedOut: Int = 0, removed: Int = 0,
    damaged: [DamagedRecord] = [], unreadable: Int = 0
  ) {
    self.added = added
    self.updated = updated
    self.unchanged = unchanged
    self.signedOut = signedOut
    self.removed = removed
    self.damaged = damaged
    self.unreadable = unreadable
  }

  /// Counts the outcome for a record.
  package mutating func note(_ outcome: RecordMerge.Outcome) {
    switch outcome {
    case .added: added += 1
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    case .signedOut: signedOut += 1
    case .conflicting: conflicting += 1
    }
  }
}

extension ImportSummary {
  /// Returns the document of a record, `nil` when there is none.
  ///
  /// A damaged record is added to `damaged` and is not readable. The import skips it and continues with the others.
  package mutating func document(for key: RecordKey, in stored: StoredGroup) -> (
    isReadable: Bool, document: CacheDocument?
  ) {
    guard let record = stored.record(key) else { return (true, nil) }
    if let damage = DamagedRecord(record) {
      damaged.append(damage)
      return (false, nil)
    }
    return (true, try? record.document())
  }
}

extension ImportSummary {
  /// A part of the file that is too large for a record and was not imported.
  ///
  /// Its description shows neither the account nor a token.
  public struct Oversized: Sendable, Hashable {
    /// The key of the record that would hold the part.
    public let key: RecordKey

    /// The account's identifier; empty for what belongs to no account.
    public let homeAccountID: String

    package init(_ key: RecordKey, _ part: CacheDocument) {
      self.key = key
      homeAccountID =
        part.credentials.map(\.homeAccountID).first { !$0.isEmpty } ?? part.accounts.first?.homeAccountID
        ?? part.adalToken?.homeAccountID ?? ""
    }
  }
}

extension ImportSummary.Oversized: CustomStringConvertible, CustomReflectable {
  /// The purpose of the record, with its client and host.
  public var description: String { key.purpose }

  /// A mirror that shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["record": description]) }
}
