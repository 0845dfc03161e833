// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

/// The records that an import or a copy writes, one after another.
///
/// Who is signed out is read before the first record. A sign-out from then on removes what is there, and an account's
/// other records may be written after it. So the records of the group are read again after the last one was written:
/// where a sign-out was recorded meanwhile, what was written of that account since goes again. A sign-out that is
/// recorded after that finds all records, because it looks again, too.
package struct RecordWrites {
  /// The write of one record.
  package struct Write: Sendable {
    let key: RecordKey
    /// What is imported.
    let document: CacheDocument
    /// Merges that into what is stored.
    let merge: @Sendable (inout CacheDocument?) -> RecordMerge.Outcome

    package init(
      _ key: RecordKey, _ document: CacheDocument,
      merge: @escaping @Sendable (inout CacheDocument?) -> RecordMerge.Outcome
    ) {
      (self.key, self.document, self.merge) = (key, document, merge)
    }
  }

  private let stored: StoredGroup
  private let backend: any TokenCacheBackend
  private let clock: any WallClock
  private let signsIn: Bool
  /// What was written, with the time after each write.
  private var written: [RecordKey: (document: CacheDocument, date: Date)] = [:]
  /// The records that turned out to be signed out when they were to be written.
  private var refused: Set<RecordKey> = []

  /// - Parameters:
  ///   - stored: The group as it was read before.
  ///   - signsIn: Whether the accounts are signed in by this, whoever has signed them out.
  package init(
    over stored: StoredGroup, in backend: any TokenCacheBackend, clock: any WallClock, signsIn: Bool = false
  ) {
    (self.stored, self.backend, self.clock, self.signsIn) = (stored, backend, clock, signsIn)
  }

  /// Writes records.
  ///
  /// - Parameter complete: Writes those again that are missing at the end. It calls `wrote` after each.
  /// - Returns: The records that were not written, or were removed again, since their accounts are signed out.
  /// - Throws: Any error of the back end, also after what belongs to signed-out accounts was removed again.
  package mutating func run(
    _ writes: [Write], _ progress: inout WorkProgress, _ failures: inout RecordFailures,
    completing complete: (_ wrote: (RecordKey, CacheDocument) -> Void) async throws -> Void
  ) async throws -> Set<RecordKey> {
    do {
      for write in writes {
        // It may be written although the call fails. A sign-out while the call waits comes before the write.
        defer { written[write.key] = (write.document, clock.now()) }
        let outcome = try await failures.attempt(write.key) {
          try await backend.update(write.key, write.merge)
        }
        guard let outcome else { continue }
        if outcome == .signedOut { refused.insert(write.key) }
        progress.finishItem()
      }
      try failures.check()
      try await complete { written[$0] = ($1, clock.now()) }
    } catch {
      // Its own error says what is left of a signed-out account.
      _ = try await takeBack()
      throw error
    }
    return try await takeBack()
  }

  /// Removes what was written of accounts since they were signed out, also where the caller's task is cancelled.
  ///
  /// - Returns: The records that were not written or were removed again.
  private func takeBack() async throws -> Set<RecordKey> {
    try await Task { try await removeSignedOut() }.value
  }

  private func removeSignedOut() async throws -> Set<RecordKey> {
    if signsIn || !mayBeConcerned { return refused }
    let now = try await stored.readAgain(StoredGroup.accountKinds + [.groupData], from: backend)
    var failures = RecordFailures()
    if now.removalOfEverything != stored.removalOfEverything {
      // It leaves the apps' own secrets and objects.
      let accounts = written.filter { $0.key.holdsAccounts }
      for (key, (document, _)) in accounts {
        try await failures.attempt(key) { try await backend.update(key) { $0.removeEntries(of: document) } }
      }
      try failures.check()
      return refused.union(accounts.keys)
    }
    guard let (signedOut, later) = signedOutMeanwhile(now) else { return refused }
    let leftovers = CachePartitioner.leftovers
    if written[leftovers] != nil {
      try await failures.attempt(leftovers) {
        try await backend.update(leftovers) { $0?.removeEntries(ownedBy: signedOut.contains) }
      }
    }
    let names = SignedOutAccounts.names(in: written.mapValues(\.document))
    var removed = refused
    for (key, document) in later {
      let isSignedOut =
        document.adalToken.map { key.kind == .legacy && signedOut.contains($0) }
        ?? signedOut.contains(key, named: names[key.accountName] ?? [])
      guard isSignedOut else { continue }
      let isRemoved: Void? = try await failures.attempt(key) {
        try await backend.update(key) { $0.removeEntries(of: document) }
      }
      if isRemoved != nil { removed.insert(key) }
    }
    try failures.check()
    return removed
  }

  /// Whether somebody could sign out of what was written, or was there, before the last record was written.
  private var mayBeConcerned: Bool { !written.isEmpty && (!stored.isEmpty || written.count > 1) }

  /// Returns who is signed out now, and what was written after the first sign-out; `nil` when none was recorded since
  /// the group was read.
  private func signedOutMeanwhile(_ now: StoredGroup) -> (
    signedOut: SignedOutAccounts, later: [RecordKey: CacheDocument]
  )? {
    let signOuts = now.signOuts(since: stored)
    // A family's token goes with the last client's sign-out, which has the date. A sign-out of no app has none.
    let dates = signOuts.filter { $0.key.kind != .family }.values.map { $0 ?? .distantPast }
    guard let first = dates.min() else { return nil }
    // A record that was written before the second of the first sign-out, and that none concerned, shows that the account
    // is in use: dates of sign-outs are whole seconds.
    let later = written.filter { signOuts.index(forKey: $0) == nil && first <= $1.date }
    let withoutLater = now.replacing(Set(later.keys), with: stored)
    return (SignedOutAccounts(in: withoutLater), later.mapValues(\.document))
  }
}

extension StoredGroup {
  fileprivate static let accountKinds: [RecordKind] = [.credentials, .family, .legacy]

  /// The revision of the group's own record of the last removal of everything; `nil` where there was none.
  fileprivate var removalOfEverything: Int? {
    guard !isOfOthers(.wipe), let document = try? record(.wipe)?.document(),
      document[member: "wiped_at"] != nil, document[member: "wiped_tokens_only"] != true
    else { return nil }
    return document.metadata.revision
  }

  /// Returns the records that count other sign-outs than before, each with the time of the last one.
  fileprivate func signOuts(since earlier: StoredGroup) -> [RecordKey: Date?] {
    var signOuts: [RecordKey: Date?] = [:]
    for record in Self.accountKinds.flatMap(records) {
      guard let metadata = try? record.document().metadata else { continue }
      let known = (try? earlier.record(record.key)?.document())?.metadata.signOutNumber ?? 0
      if metadata.signOutNumber != known { signOuts[record.key] = .some(metadata.signOut?.date) }
    }
    return signOuts
  }
}

extension RecordKey {
  /// Whether a removal of everything removes the record.
  fileprivate var holdsAccounts: Bool {
    [.credentials, .family, .legacy, .client].contains(kind) || self == CachePartitioner.leftovers
  }
}

extension ImportSummary {
  /// Counts records as signed out that were counted as new or changed.
  package mutating func takeBack(_ keys: Set<RecordKey>, over stored: StoredGroup) {
    for key in keys where changed.remove(key) != nil {
      if stored.record(key) == nil || stored.isOfOthers(key) { added -= 1 } else { updated -= 1 }
      signedOut += 1
    }
  }
}

extension CacheDocument? {
  /// Removes the entries that another document has, too, and the document with the last one.
  ///
  /// What an app has stored of the record meanwhile stays, and so does what a sign-out left.
  fileprivate mutating func removeEntries(of other: CacheDocument) {
    guard var document = self else { return }
    if let token = other.adalToken {
      if document.adalToken == token { self = nil }
      return
    }
    document.removeEntries(of: other)
    self = document.holdsEntries || document.metadata.signOutNumber > 0 ? document : nil
  }
}
