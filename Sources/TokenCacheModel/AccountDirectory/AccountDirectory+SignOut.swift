// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension AccountDirectory {
  /// Signs every app of a client, or of all clients, out of an account and removes the tokens.
  ///
  /// A client that can use the account only through its family's refresh token is signed out, too. A record remains for
  /// each client that is signed out; it also replaces a document that can't be read. A family's refresh token is
  /// removed when no client that may use it holds a token for the account any more.
  public func signOut(_ account: Account, clientID: String? = nil) async throws {
    if account.identifier.isEmpty {
      // A silent call may have found the identifier since the account was read.
      for known in try await accounts() where !known.identifier.isEmpty && account.isNamed(as: known) {
        try await signOut(known, clientID: clientID)
      }
    }
    let records = try await backend.records(
      matching: .all(
        .credentials, homeAccountID: account.identifier, environment: account.environment, clientID: clientID)
    )
    var unrecorded: Set<String> = []
    for record in records {
      guard (try? record.document()) != nil else {
        try await backend.remove(record.key)
        unrecorded.insert(record.key.clientID)
        continue
      }
      try await backend.update(record.key) { $0?.signOutAllApps() }
    }
    if unrecorded.count == records.count {
      unrecorded.formUnion(try await clientsByFamily(of: account, clientID: clientID))
    }
    for client in unrecorded { try await recordSignOut(of: account, clientID: client) }
    try await legacySignIns?.signOutAllApps(
      of: account, clientID: clientID, in: backend, try await aliases)
    try await removeUnusedFamilies(of: account.identifier, environment: account.environment)
    if clientID == nil { try await removeLeftover(account) }
  }

  /// Returns the clients that get a sign-out record because they use the account only through a family.
  ///
  /// That is the given client, if so. Without one, it is the clients that the families' refresh tokens were issued to.
  private func clientsByFamily(of account: Account, clientID: String?) async throws -> Set<String> {
    if let clientID {
      let canRedeem = try await FamilyUse(backend: backend).canRedeem(
        account.identifier, environment: account.environment, clientID: clientID)
      return canRedeem ? [clientID] : []
    }
    let families = try await backend.records(
      matching: .all(.family, homeAccountID: account.identifier, environment: account.environment))
    return Set(families.flatMap { (try? $0.document().credentials) ?? [] }.map(\.clientID))
  }

  /// Records that a client is signed out of an account that it has no record of.
  private func recordSignOut(of account: Account, clientID: String) async throws {
    let key = RecordKey.credentials(
      homeAccountID: account.identifier, environment: account.environment, clientID: clientID)
    try await backend.update(key) { stored in
      var document = stored ?? CacheDocument()
      document.signOutAllApps()
      document.metadata.rememberNames([account.username])
      stored = document
    }
  }

  /// Removes the data that an import left over of an account whose tokens are gone.
  private func removeLeftover(_ account: Account) async throws {
    guard !account.identifier.isEmpty, let record = try await backend.record(for: CachePartitioner.leftovers),
      (try? record.document()) != nil
    else { return }
    let wanted = RecordKey.storedAccount(account.identifier)
    try await backend.update(CachePartitioner.leftovers) { stored in
      guard var document = stored else { return }
      document.removeAccounts {
        RecordKey.storedAccount($0.homeAccountID) == wanted
          && CloudEnvironment.areSame($0.environment, account.environment)
      }
      stored = document
    }
  }

  /// Removes an account's family refresh tokens that no client with a token for the account may use.
  ///
  /// A client that signs in meanwhile writes the family's record first; then the record stays.
  func removeUnusedFamilies(of homeAccountID: String, environment: String) async throws {
    let families = try await backend.records(
      matching: .all(.family, homeAccountID: homeAccountID, environment: environment))
    for record in families {
      var seen: Record? = record
      while let record = seen {
        let isUsed = try await FamilyUse(backend: backend).isUsed(record.key)
        if isUsed { break }
        guard let revision = try? record.document().metadata.revision else {
          try await backend.remove(record.key)
          break
        }
        let isRemoved = try await backend.update(record.key) { stored in
          if stored?.metadata.revision == revision { stored = nil }
          return stored == nil
        }
        seen = isRemoved ? nil : try await backend.record(for: record.key)
      }
    }
  }
}

extension CacheDocument {
  /// Removes every token and account, for all apps of the client.
  fileprivate mutating func signOutAllApps() {
    removeTokensAndAccounts()
    metadata.signOutAllApps()
    metadata.signOutCount += 1
  }
}
