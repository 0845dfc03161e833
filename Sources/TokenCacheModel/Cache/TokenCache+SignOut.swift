// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension TokenCache {
  /// Signs this app out of an account, and no other app, even one that shares the client id.
  ///
  /// From then on this app does not see the account and gets no token for it until it signs in again, not even
  /// through a family's refresh token. The tokens go with the last app of the client that uses them; a record
  /// that holds no token stays behind. Nothing is revoked at the server. Signing out of an account that is not
  /// there is no error. A cache for the person at the keyboard, which has no app, signs all apps of the client out.
  ///
  /// What ADAL keeps of the account is treated alike, where the cache shares with it.
  ///
  /// - Throws: Whatever the back end throws; then call it again. `storageFailed` when a provider of external accounts
  ///   fails, whose error is beneath; the app is signed out then.
  public func signOut(_ account: Account) async throws {
    if app == nil {
      try await AccountDirectory(backend: backend).signOut(account, clientID: clientID)
    } else {
      try await signOutOfADAL(account)
      let isKnown = !account.identifier.isEmpty
      for account in isKnown ? [account] : try await unifiedAccounts(namedAs: account) {
        try await signOutApp(account)
      }
    }
    if let error = await external.remove(account) { throw error }
  }

  /// Signs this app out in the unified format.
  func signOutApp(_ account: Account) async throws {
    let family = try await familyOfClient(account)
    let aliases = try await aliases(of: account)
    let isLast = try await backend.update(key(account, aliases)) { [app] stored in
      guard stored != nil || family != nil else { return false }
      var document = stored ?? CacheDocument()
      document.sharing[app] = .signedOut
      let isLast = document.sharing.apps(.signedIn).isEmpty
      if isLast {
        document.removeTokensAndAccounts()
        document.sharing.epoch += 1
      }
      stored = document
      return isLast
    }
    if isLast, let family {
      try await AccountDirectory(backend: backend).removeFamilyIfUnused(
        family, account.identifier, environment: account.environment)
    }
  }

  /// Signs this app out of what ADAL keeps of the account.
  private func signOutOfADAL(_ account: Account) async throws {
    guard readsADAL(at: authority) else { return }
    let store = ADALStore(backend: backend)
    let families = Set(["1", try await familyOfClient(account)].compactMap(\.self))
    let aliases = try await aliases(of: account)
    try await store.signOut(
      app, where: { $0.isOf(account, aliases) },
      among: { try await store.items(ofClient: clientID, families: families) })
  }

  /// The family whose token could sign the account in for this client.
  private func familyOfClient(_ account: Account) async throws -> String? {
    let records = try await backend.records(
      matching: .all(.credentials, homeAccountID: account.identifier, environment: account.environment))
    let metadata = records.flatMap { (try? $0.document().appMetadata) ?? [] }
    let own = metadata.first { $0.isOf(clientID) }
    if let own { return own.familyID.isEmpty ? nil : own.familyID }
    return metadata.map(\.familyID).first { !$0.isEmpty }
  }
}
