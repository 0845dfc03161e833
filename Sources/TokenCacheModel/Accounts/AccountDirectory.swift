// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// All accounts of a group, whoever signed them in: for the person at the keyboard, not for an app.
///
/// Apps use ``TokenCache``, which shows an app what is its own and removes no more than that.
public struct AccountDirectory: Sendable {
  let backend: any TokenCacheBackend

  /// Makes a directory over a back end.
  public init(backend: any TokenCacheBackend) { self.backend = backend }

  /// Every account that any client holds a token for, sorted by user name.
  ///
  /// - Throws: `corruptItem` when a document can't be read, and whatever the back end throws.
  public func accounts() async throws -> [Account] {
    try accounts(among: await backend.records(matchingAny: [.all(.credentials), .all(.legacy)]))
  }

  func accounts(among records: [Record]) throws -> [Account] {
    var merger = AccountMerger()
    for record in records where record.key.kind == .credentials {
      let document = try record.document()
      if document.hasTokens { merger.add(document) }
    }
    return Self.withADALs(of: records, merger.accounts)
  }

  /// Accounts, and those among records that only ADAL has a refresh token for.
  package static func withADALs(of records: [Record], _ accounts: [Account] = []) -> [Account] {
    let adals = ADALAccounts(
      records.filter { $0.key.kind == .legacy }, clientID: nil, family: nil, app: nil)
    return adals.merged(with: accounts) { _ in false }
  }

  /// The accounts that go by an identifier, exactly, or by a user name, in any case.
  public func accounts(named name: String) async throws -> [Account] {
    try TokenCache.requireText(name, "name")
    let all = try await accounts()
    let byIdentifier = all.filter { RecordKey.storedAccount($0.identifier) == RecordKey.storedAccount(name) }
    if !byIdentifier.isEmpty { return byIdentifier }
    return all.filter { $0.username.lowercased() == name.lowercased() }
  }

  /// Signs every app of a client, or of all clients, out of an account and removes the tokens.
  ///
  /// What stays behind is a record for each client that it is signed out. Documents that can't be read are
  /// removed whole.
  public func signOut(_ account: Account, clientID: String? = nil) async throws {
    if account.identifier.isEmpty {
      // Somebody may have taken it up since the account was read.
      for known in try await accounts() where !known.identifier.isEmpty && account.isNamed(as: known) {
        try await signOut(known, clientID: clientID)
      }
    }
    let records = try await backend.records(
      matching: .all(
        .credentials, homeAccountID: account.identifier, environment: account.environment, clientID: clientID)
    )
    var families: Set<String> = []
    for record in records {
      guard let document = try? record.document() else {
        try await backend.remove(record.key)
        continue
      }
      families.formUnion(document.appMetadata.map(\.familyID).filter { !$0.isEmpty })
      try await backend.update(record.key) { stored in
        stored?.removeTokensAndAccounts()
        stored?.sharing.signOutAllApps()
        stored?.sharing.epoch += 1
      }
    }
    try await signOutOfADAL(account, clientID: clientID)
    for family in families {
      try await removeFamilyIfUnused(family, account.identifier, environment: account.environment)
    }
  }

  /// Signs every app of a client, or of all clients, out of what ADAL keeps of an account.
  private func signOutOfADAL(_ account: Account, clientID: String?) async throws {
    let store = ADALStore(backend: backend)
    let client = clientID.map(RecordKey.storedClient)
    try await store.signOut(
      nil, where: { (client == nil || $0.key.clientID == client) && $0.isOf(account) },
      among: { try await store.items() })
  }

  /// Removes a family's refresh token when no client of the family holds a token for the account any more.
  ///
  /// A client that signs in meanwhile writes the family's record first: then it stays.
  func removeFamilyIfUnused(_ family: String, _ homeAccountID: String, environment: String) async throws {
    let key = RecordKey.family(homeAccountID: homeAccountID, environment: environment, familyID: family)
    let seen = try await backend.record(for: key)
    let records = try await backend.records(
      matching: .all(.credentials, homeAccountID: homeAccountID, environment: environment))
    let isUsed = records.contains { record in
      guard let document = try? record.document() else { return true }
      return document.hasTokens && document.appMetadata.contains { $0.familyID == family }
    }
    if isUsed || seen == nil { return }
    guard let revision = try? seen?.document().sharing.revision else { return try await backend.remove(key) }
    try await backend.update(key) { stored in
      if stored?.sharing.revision == revision { stored = nil }
    }
  }

  /// Removes every account and token of the group, for every app: in a shared group that is everyone's loss.
  ///
  /// Who did it and when is recorded in the group, to explain the next missing token.
  ///
  /// - Parameters:
  ///   - app: Who does it, as the record will say.
  ///   - clock: Where the time of day is read.
  public func removeEverything(by app: String, clock: any WallClock = SystemWallClock()) async throws {
    for kind in [RecordKind.credentials, .family, .legacy] {
      for record in try await backend.records(matching: .all(kind)) { try await backend.remove(record.key) }
    }
    for record in try await backend.records(matching: .all(.client)) {
      // An app that is asked the next time must see that its account has changed.
      guard (try? record.document())?.sharing.hasCurrentAccounts == true else {
        try await backend.remove(record.key)
        continue
      }
      try await backend.update(record.key) { stored in
        stored?.removeAllEntries()
        stored?.sharing.fields["account_metadata"] = nil
      }
    }
    try await backend.remove(CacheSplitter.leftovers)
    try await WipeRecord(app: app, date: clock.now()).write(to: backend)
  }
}
