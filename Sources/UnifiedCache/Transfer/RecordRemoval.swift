// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// The records that a replacing import removes: all tokens and accounts, in either format, that the file lacks.
///
/// Their accounts are signed out, so that no later import brings them back, unless the file has the account and client
/// in its own format. An account that only what an import left over names gets a record for that. What was set aside
/// goes, too.
package struct RecordRemoval {
  /// The kinds of record that an imported file of either format may fill.
  private static let kinds: [RecordKind] = [.credentials, .family, .client, .legacy]

  private var keys: [RecordKey] = []
  /// The records to remove: what was set aside, and those of sign-ins that the file has in the other format.
  private var removed: [RecordKey] = []
  private var hasLeftovers = false
  /// The records to make, each of the sign-out of an account that no record belongs to, with its user names.
  private var signOuts: [RecordKey: Set<String>] = [:]
  /// The number of records that lose entries.
  package private(set) var count = 0

  /// The records that can't be read.
  ///
  /// They are kept, because their content may still be recoverable.
  package private(set) var damaged: [DamagedRecord] = []

  package init() {}

  /// The records that the removal changes.
  package var records: Set<RecordKey> {
    Set(keys + removed + (hasLeftovers ? [CachePartitioner.leftovers] : [])).union(signOuts.keys)
  }

  /// The number of those records.
  package var steps: Int { records.count }

  /// Collects the records to remove.
  ///
  /// - Parameters:
  ///   - signIns: The sign-ins of the file.
  ///   - isKept: Whether the file has entries for a record.
  package init(_ stored: StoredGroup, besides signIns: ImportedSignIns, where isKept: (RecordKey) -> Bool) {
    for record in Self.kinds.flatMap(stored.records) where !isKept(record.key) {
      guard let document = try? record.document() else {
        damaged += [DamagedRecord(record)].compactMap(\.self)
        continue
      }
      let isLegacy = record.key.kind == .legacy
      let holdsEntries = isLegacy ? document.adalToken?.kind != nil : document.holdsEntries
      if holdsEntries { count += 1 }
      if signIns.contains(document, of: record.key) {
        removed.append(record.key)
      } else if holdsEntries || !isLegacy {
        keys.append(record.key)
      }
    }
    let setAside = stored.records(.damaged).map(\.key).filter(\.isSetAsideSignIn)
    removed += setAside
    hasLeftovers = !isKept(CachePartitioner.leftovers) && stored.record(CachePartitioner.leftovers) != nil
    count += setAside.count + (hasLeftovers ? 1 : 0)
    if let rest = try? stored.record(CachePartitioner.leftovers)?.document() {
      signOuts = Self.signOuts(of: rest, stored, besides: signIns)
    }
  }

  /// Returns the records of the sign-outs of those that leftovers name, and neither the file nor a record of theirs.
  private static func signOuts(
    of leftovers: CacheDocument, _ stored: StoredGroup, besides signIns: ImportedSignIns
  ) -> [RecordKey: Set<String>] {
    let known = Set(stored.ownRecords(.credentials).map(\.key.accountName))
    var signOuts: [RecordKey: Set<String>] = [:]
    for owner in leftovers.owners where !owner.homeAccountID.isEmpty {
      let account = owner.accountName(stored.aliases)
      if signIns.names(account) || known.contains(account) { continue }
      let key = RecordKey.credentials(
        homeAccountID: owner.homeAccountID, environment: account.environment, clientID: "")
      let named = leftovers.accounts.filter { RecordKey.storedAccount($0.homeAccountID) == account.name }
      signOuts[key, default: []].formUnion(named.map(\.username))
    }
    return signOuts
  }

  /// Removes the tokens and accounts from the records, which say then that this process did it.
  ///
  /// - Parameter now: The time for that.
  package func remove(
    from backend: any TokenCacheBackend, at now: Date, _ progress: inout WorkProgress,
    _ failures: inout RecordFailures
  ) async throws {
    let signOut = (ProcessInfo.processInfo.processName, now)
    // The leftovers stay until that is recorded.
    for (key, usernames) in signOuts {
      let change: Void? = try await failures.attempt(key) {
        try await backend.update(key) { stored in
          var document = stored ?? CacheDocument()
          document.metadata.raiseSignOutNumber()
          document.metadata.signOut = signOut
          document.metadata.rememberNames(Array(usernames))
          stored = document
        }
      }
      if change != nil { progress.finishItem() }
    }
    for key in keys {
      let change: Void? = try await failures.attempt(key) {
        try await backend.update(key) { Self.removeEntries(of: key, from: &$0, recordedAs: signOut) }
      }
      if change != nil { progress.finishItem() }
    }
    for key in removed + (hasLeftovers ? [CachePartitioner.leftovers] : []) {
      let removal: Void? = try await failures.attempt(key) { try await backend.remove(key) }
      if removal != nil { progress.finishItem() }
    }
  }

  private static func removeEntries(
    of key: RecordKey, from stored: inout CacheDocument?, recordedAs signOut: (app: String, date: Date)
  ) {
    guard key.kind != .legacy else {
      stored?.signOutOfADAL(nil, recordedAs: signOut)
      return
    }
    let hadTokens = stored?.hasTokens == true
    // The token of a family's record may have been refused while an app that has redeemed it waits for the response.
    let isRefused = key.kind == .family && stored?.metadata.signOutNumber == 0
    let isInUse = hadTokens || isRefused || stored?.metadata.apps(.signedIn).isEmpty == false
    stored?.removeAllEntries()
    stored?.metadata.signOutAllApps()
    // A client's own tokens belong to no account that could be signed out.
    if isInUse && key.kind != .client { stored?.metadata.raiseSignOutNumber() }
    guard hadTokens else { return }
    stored?.metadata.removalCount += 1
    if key.kind == .credentials { stored?.metadata.signOut = signOut }
  }
}
