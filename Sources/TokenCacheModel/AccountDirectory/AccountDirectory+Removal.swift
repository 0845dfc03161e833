// SPDX-License-Identifier: MIT

import KeychainGroupModel
public import UnifiedCache

extension AccountDirectory {
  /// Removes every account and token of the group, for every app.
  ///
  /// The apps' own secrets stay, and so do the JSON objects of the keychain view. The group records which app did it
  /// and when, to explain missing tokens later; if nothing was there, it records nothing.
  ///
  /// - Parameters:
  ///   - app: The name of the app for that record.
  ///   - clock: The source of the current time.
  /// - Returns: Whether there was anything to remove.
  /// - Throws: Whatever the back end throws. Where a record can't be removed, as with `lockTimedOut`, the others are
  ///   removed and the error names it.
  @discardableResult
  public func removeEverything(
    recordedAs app: String, clock: any WallClock = SystemWallClock()
  ) async throws -> Bool {
    var failures = RecordFailures()
    var existed = try await removeStored(&failures)
    if try await WipeRecord.isDamaged(in: backend) { existed = true }
    if existed {
      try await WipeRecord(app: app, date: clock.now()).write(to: backend, removesDamaged: true)
      // An import that has looked for this record just before has written its last one.
      _ = try await removeStored(&failures)
    }
    try failures.check()
    return existed
  }

  /// Removes the accounts and tokens that are stored now, also those that the group's data names.
  ///
  /// - Returns: Whether there were any.
  private func removeStored(_ failures: inout RecordFailures) async throws -> Bool {
    var existed = try await removeAccounts(&failures)
    for key in [CachePartitioner.leftovers, Self.hintRecord] where try await backend.record(for: key) != nil {
      try await failures.attempt(key) { try await backend.remove(key) }
      existed = true
    }
    return try await removeAllEntriesFromGroupData(&failures) || existed
  }

  /// The largest number of passes that remove records written meanwhile.
  private static let maximumPasses = 100
  /// The largest number of passes for a record that a query finds and its key does not.
  private static let maximumAbsences = 3

  /// Removes the stored records of accounts and clients, also those that were set aside because they can't be read.
  ///
  /// Records that others write meanwhile are removed, too. Otherwise an account could be left incomplete.
  ///
  /// - Returns: Whether there were any.
  private func removeAccounts(_ failures: inout RecordFailures) async throws -> Bool {
    let kinds = [RecordKind.credentials, .family, .legacy, .client, .damaged]
    var existed = false
    var removed: Set<RecordKey> = []
    var absences: [RecordKey: Int] = [:]
    for _ in 0..<Self.maximumPasses {
      let records = try await backend.records(matchingAny: kinds.map { .all($0) }).filter { record in
        record.key.kind != .damaged || record.key.isSetAsideSignIn
          || record.key.originalOfSetAside == Self.hintRecord
      }
      var isChanged = false
      for record in records {
        let change = try await failures.attempt(record.key) {
          if !removed.insert(record.key).inserted, try await backend.record(for: record.key) == nil {
            // Another process has just removed it, or its item's attributes name another record.
            absences[record.key, default: 0] += 1
            return absences[record.key, default: 0] < Self.maximumAbsences
          }
          return try await remove(record)
        }
        isChanged = change == true || isChanged
      }
      if !isChanged { break }
      existed = true
    }
    return existed
  }

  /// Throws `storageFailed` when a query finds a record of an account, and no removal does: another program's item.
  package func requireRemovableRecords() async throws {
    var unknown: [RecordKey] = []
    for record in try await backend.records(matchingAny: accountRecords) {
      if try await backend.record(for: record.key) == nil { unknown.append(record.key) }
    }
    if unknown.isEmpty { return }
    // Another process may have removed a record in between.
    let left = Set(try await backend.records(matchingAny: accountRecords).map(\.key))
    var failures = RecordFailures()
    for key in unknown where left.contains(key) {
      try await failures.attempt(key) {
        throw SecretStoreError(.storageFailed, "An item is another program's, and lists show it still.")
      }
    }
    try failures.check()
  }

  /// Removes a record of an account or a client.
  ///
  /// - Returns: Whether there was anything to remove.
  private func remove(_ record: Record) async throws -> Bool {
    // The current accounts stay, so that the app's next call sees that its account has changed.
    if record.key.kind == .client, (try? record.document())?.metadata.hasCurrentAccounts == true {
      return try await backend.update(record.key) { stored in
        let before = stored
        stored?.removeAllEntries()
        stored?.metadata.fields["account_metadata"] = nil
        defer { stored?.metadata.raiseSignOutNumber() }
        return stored != before
      }
    }
    try await backend.remove(record.key)
    return true
  }
}
