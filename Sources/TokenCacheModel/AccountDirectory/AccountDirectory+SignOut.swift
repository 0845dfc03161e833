// SPDX-License-Identifier: MIT

package import FoundationEssentials
import KeychainGroupModel
public import UnifiedCache

extension AccountDirectory {
  /// Signs every app of a client, or of all clients, out of an account and removes the tokens.
  ///
  /// A client that can use the account only through its family's refresh token is signed out, too. A record remains for
  /// each client that is signed out; it also replaces a document that can't be read. A family's refresh token is
  /// removed when no client that may use it holds a token for the account any more. Also removed is what was set aside
  /// of the account because it could not be read, and entries of kinds that this version doesn't know. In a sandbox
  /// what was set aside stays: the agent gives it to no app.
  ///
  /// The records that remain say which app did it and when. Doctor shows it, and the next silent call of another app
  /// says it.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - clientID: The client; `nil` for all clients.
  ///   - app: The name of the app for that record; this process's name when `nil`.
  ///   - clock: The source of the current time.
  /// - Returns: Whether anything of the account was there for the client, or for any client.
  /// - Throws: `corruptItem` when nothing else is left but something that can't be read may be the account's: ADAL's
  ///   items, and what an import left over, don't name their accounts. And whatever the back end throws.
  ///   Where a record can't be changed, as with `lockTimedOut`, the others are changed and the error names it.
  @discardableResult
  public func signOut(
    _ account: Account, clientID: String? = nil, recordedAs app: String? = nil,
    clock: any WallClock = SystemWallClock()
  ) async throws -> Bool {
    let signOut = (app ?? ProcessInfo.processInfo.processName, clock.now())
    var existed = false
    var failures = RecordFailures()
    if account.identifier.isEmpty {
      // A silent call may have found the identifier since the account was read.
      for known in try await accounts() where !known.identifier.isEmpty && account.isNamed(as: known) {
        existed = try await remove(known, clientID: clientID, signOut, &failures) || existed
      }
    }
    existed = try await remove(account, clientID: clientID, signOut, &failures) || existed
    if existed {
      try await failures.attempt(nil) {
        try await recordSignOut(of: account, clientID: clientID, recordedAs: signOut.0, at: signOut.1)
      }
    }
    try failures.check()
    try await requireAttributedRecords(of: clientID)
    return existed
  }

  /// Records a sign-out of an account of which no client has a record, so that no import brings it back: what was
  /// removed was in none, as an imported account without a token.
  ///
  /// - Parameters:
  ///   - account: The account; without an environment, in any.
  ///   - clientID: The client that was signed out; `nil` for all clients.
  ///   - date: When the removal began: what an import writes from then on is of a signed-out account.
  package func recordSignOut(
    of account: Account, clientID: String?, recordedAs app: String, at date: Date
  ) async throws {
    if account.identifier.isEmpty { return }
    let environment = account.environment.isEmpty ? nil : account.storageEnvironment
    let known = try await backend.records(
      matching: .all(
        .credentials, homeAccountID: account.identifier, environment: environment, clientID: clientID))
    guard known.isEmpty else { return }
    var failures = RecordFailures()
    try await record((app, date), of: account, clientID: clientID ?? "", &failures)
    try failures.check()
  }

  /// Throws `corruptItem` when something that can't be read may be the account's, as after
  /// ``signOut(_:clientID:recordedAs:clock:)``.
  ///
  /// - Parameter name: The name of an account that was not found. If it is a user name, what was set aside of any
  ///   account may be the account's.
  package func requireAttributedRecords(of clientID: String?, named name: String? = nil) async throws {
    let isUsername = name.map { !HomeAccountID($0).isAzureAD } ?? false
    let unreadable = try await unattributedRecords(of: clientID, orOfAccounts: isUsername)
    if !unreadable.isEmpty { throw UnattributedRecords(keys: unreadable).error }
  }

  /// Returns a function that returns whether a document was written as a record of an account, in either format, and has
  /// not only entries of others.
  package func ownership(of account: Account) async throws -> @Sendable (CacheDocument) -> Bool {
    let aliases = try await aliases
    return { [legacySignIns] document in
      guard let record = document.metadata.record else { return false }
      return switch record.kind {
      case .credentials, .family:
        !account.identifier.isEmpty && record.account == RecordKey.storedAccount(account.identifier)
          && !document.isOfOthers(than: record.account)
          && aliases.areSame(record.environment, account.storageEnvironment)
      case .legacy: legacySignIns?.isItem(document, of: account, aliases) == true
      default: false
      }
    }
  }

  /// Returns the records that can't be read and don't name their account, also those that were set aside.
  private func unattributedRecords(
    of clientID: String?, orOfAccounts includesAccounts: Bool
  ) async throws -> [RecordKey] {
    let clients = clientID.map { [RecordKey.storedClient($0), ADALToken.familyPrefix + "1"] }
    func isOfClient(_ key: RecordKey) -> Bool {
      // An item's attributes may spell the client in another way.
      clients?.contains(RecordKey.storedClient(key.clientID)) != false
    }
    let kinds: [RecordKind] = legacySignIns == nil ? [.damaged] : [.damaged, .legacy]
    var records = try await backend.records(matchingAny: kinds.map { .all($0) })
    if let leftovers = try await backend.record(for: CachePartitioner.leftovers) { records.append(leftovers) }
    return records.filter { $0.key.kind == .damaged || (try? $0.document()) == nil }
      .map { $0.key.originalOfSetAside ?? $0.key }
      .filter { key in
        switch key.kind {
        case .legacy: legacySignIns != nil && isOfClient(key)
        case .credentials: includesAccounts && isOfClient(key)
        case .family: includesAccounts
        default: key == CachePartitioner.leftovers
        }
      }
  }

  /// The largest number of passes of a sign-out beside others that write tokens of the account.
  private static let maximumSignOutPasses = 10

  /// Removes what names the account, again while others write tokens of it, as an import does.
  private func remove(
    _ account: Account, clientID: String?, _ signOut: (app: String, date: Date),
    _ failures: inout RecordFailures
  ) async throws -> Bool {
    var existed = false
    for _ in 0..<Self.maximumSignOutPasses {
      existed = try await removeOnce(account, clientID: clientID, signOut, &failures) || existed
      guard failures.isEmpty, try await hasTokens(account, clientID: clientID) else { return existed }
    }
    try await requireRemovableRecords()
    throw SecretStoreError(
      .storageFailed, "Others keep writing tokens of the account; end the import, and sign out again.")
  }

  /// Returns whether a record of the account and client has tokens; without a client, also a family's.
  private func hasTokens(_ account: Account, clientID: String?) async throws -> Bool {
    if account.identifier.isEmpty { return false }
    let kinds: [RecordKind] = clientID == nil ? [.credentials, .family] : [.credentials]
    let records = try await backend.records(
      matchingAny: kinds.map {
        .all(
          $0, homeAccountID: account.identifier, environment: account.storageEnvironment, clientID: clientID)
      })
    return records.contains { (try? $0.document().hasTokens) == true }
  }

  private func removeOnce(
    _ account: Account, clientID: String?, _ signOut: (app: String, date: Date),
    _ failures: inout RecordFailures
  ) async throws -> Bool {
    let existed = try await removeRecords(of: account, clientID: clientID, signOut, &failures)
    let isElsewhere = try await removeRest(of: account, clientID: clientID, &failures)
    let isLegacy = try await failures.attempt(nil) {
      try await legacySignIns?.signOutAllApps(
        of: account, clientID: clientID, recordedAs: signOut, in: backend, try await aliases)
    }
    return existed || isElsewhere || isLegacy == true
  }

  /// Removes what no record of the account and client holds, after the tokens in those records are gone: entries in
  /// other records, what was set aside, and families' refresh tokens that nobody uses any more.
  ///
  /// - Returns: Whether there was anything.
  @discardableResult
  func removeRest(
    of account: Account, clientID: String?, _ failures: inout RecordFailures
  ) async throws -> Bool {
    if account.identifier.isEmpty { return false }
    let setAside = try await setAside(of: account, clientID: clientID)
    for record in setAside {
      try await failures.attempt(record.key) { try await backend.remove(record.key) }
    }
    // An entry in another client's record would keep a family's token in use.
    let isElsewhere = try await removeEntries(of: account, clientID: clientID, &failures)
    let isFamily = try await removeUnusedFamilies(
      of: account.identifier, environment: account.storageEnvironment, &failures)
    return !setAside.isEmpty || isElsewhere || isFamily
  }

  /// Returns what was set aside of an account and client because it can't be read.
  private func setAside(of account: Account, clientID: String?) async throws -> [Record] {
    let query = RecordQuery.all(
      .credentials, homeAccountID: account.identifier, environment: account.storageEnvironment,
      clientID: clientID)
    return try await backend.records(matching: .all(.damaged)).filter { record in
      // What the item's content states counts: any program can change attributes.
      let owner = record.statedKey ?? record.key
      return query.matches(
        RecordKey(
          kind: query.kind, account: owner.account, environment: owner.environment, clientID: owner.clientID))
    }
  }

  /// Signs out of the account's records in the unified format.
  ///
  /// - Returns: Whether there was anything to sign out of.
  private func removeRecords(
    of account: Account, clientID: String?, _ signOut: (app: String, date: Date),
    _ failures: inout RecordFailures
  ) async throws -> Bool {
    let records = try await backend.records(
      matching: .all(
        .credentials, homeAccountID: account.identifier, environment: account.storageEnvironment,
        clientID: clientID)
    )
    var existed = false
    var unrecorded: Set<String> = []
    for record in records {
      guard (try? record.document()) != nil else {
        try await failures.attempt(record.key) { try await backend.remove(record.key) }
        existed = true
        unrecorded.insert(record.key.clientID)
        continue
      }
      let isSignedOut = try await failures.attempt(record.key) {
        try await backend.update(record.key) { stored in
          let existed = stored?.signOutAllApps(signOut) ?? false
          stored?.metadata.rememberNames([account.username])
          return existed
        }
      }
      existed = isSignedOut == true || existed
    }
    if unrecorded.count == records.count {
      unrecorded.formUnion(try await clientsByFamily(of: account, clientID: clientID))
    }
    if !account.identifier.isEmpty {
      let setAside = try await setAside(of: account, clientID: clientID)
        .compactMap { $0.statedKey ?? $0.key.originalOfSetAside }.filter { $0.kind == .credentials }
      unrecorded.formUnion(Set(setAside.map(\.clientID)).subtracting(records.map(\.key.clientID)))
    }
    for client in unrecorded { try await record(signOut, of: account, clientID: client, &failures) }
    return existed || !unrecorded.isEmpty
  }

  /// Returns the clients that get a sign-out record because they use the account only through a family.
  ///
  /// That is the given client, if so. Without one, it is the clients that the families' refresh tokens were issued to.
  private func clientsByFamily(of account: Account, clientID: String?) async throws -> Set<String> {
    if let clientID {
      let canRedeem = try await FamilyUse(backend: backend).canRedeem(
        account.identifier, environment: account.storageEnvironment, clientID: clientID)
      return canRedeem ? [clientID] : []
    }
    let families = try await backend.records(
      matching: .all(.family, homeAccountID: account.identifier, environment: account.storageEnvironment))
    return Set(families.flatMap { (try? $0.document().credentials) ?? [] }.map(\.clientID))
  }

  /// Records that a client is signed out of an account that it has no record of.
  private func record(
    _ signOut: (app: String, date: Date), of account: Account, clientID: String,
    _ failures: inout RecordFailures
  ) async throws {
    let key = RecordKey.credentials(
      homeAccountID: account.identifier, environment: account.storageEnvironment, clientID: clientID)
    try await failures.attempt(key) {
      try await backend.update(key) { stored in
        var document = stored ?? CacheDocument()
        _ = document.signOutAllApps(signOut)
        // The client was signed in by its family's token, or its record was damaged.
        if stored == nil { document.metadata.signOut = signOut }
        document.metadata.rememberNames([account.username])
        stored = document
      }
    }
  }
}

extension CacheDocument {
  /// Removes every token and account, for all apps of the client.
  ///
  /// - Returns: Whether an app was signed in, or anything was removed.
  fileprivate mutating func signOutAllApps(_ signOut: (app: String, date: Date)) -> Bool {
    let before = self
    removeTokensAndAccounts()
    let existed = self != before || !metadata.apps(.signedIn).isEmpty
    metadata.signOutAllApps()
    metadata.raiseSignOutNumber()
    if existed { metadata.signOut = signOut }
    return existed
  }
}
