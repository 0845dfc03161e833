// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension TokenCache {
  /// Signs this app out of an account.
  ///
  /// Other apps stay signed in, even those with the same client ID. From then on this app does not see the account and
  /// gets no token for it until it signs in again, not even through a family's refresh token. The same goes for ADAL's
  /// items of the account, if the cache shares with ADAL.
  ///
  /// The tokens are removed with the last app of the client that uses them, wherever the group has them; a record without
  /// tokens remains. Nothing is revoked at the server. Signing out of an unknown account is no error. A cache without an app signs all apps of the
  /// client out.
  ///
  /// If the cache uses an identity broker, the last app of the client that signs out also removes the account from the
  /// broker, for this client only.
  ///
  /// - Throws: Whatever the back end throws; then call it again. `storageFailed` when a provider of external accounts
  ///   fails, with its error as the underlying one; and the error of a broker that does not answer or refuses. The app
  ///   is signed out then.
  public func signOut(_ account: Account) async throws {
    var isLast = true
    if app == nil {
      try await AccountDirectory(backend: backend, legacySignIns: options.legacySignIns)
        .signOut(account, clientID: clientID)
    } else {
      let families = try await families(of: account)
      let isKnown = !account.identifier.isEmpty
      for account in isKnown ? [account] : try await unifiedAccounts(namedAs: account) {
        isLast = try await signOutApp(account)
      }
      try await signOutOfLegacySignIns(account, families: families)
    }
    let error = await external.remove(account)
    if isLast { try await removeFromBroker(account) }
    if let error { throw error }
  }

  /// Signs this app out in the unified format.
  ///
  /// - Returns: Whether the app was the last one of the client that used the account.
  @discardableResult
  func signOutApp(_ account: Account) async throws -> Bool {
    let key = key(account, try await aliases(of: account))
    var canRedeem = true
    if try await backend.record(for: key) == nil {
      canRedeem = try await FamilyUse(backend: backend).canRedeem(
        account.identifier, environment: account.environment, clientID: clientID)
    }
    let isLast = try await backend.update(key) { [app, canRedeem] stored in
      // The broker may go on listing the account, so the sign-out is recorded.
      guard stored != nil || canRedeem || account.isFromBroker else { return false }
      var document = stored ?? CacheDocument()
      if stored == nil { document.metadata.rememberNames([account.username]) }
      document.metadata[app] = .signedOut
      let isLast = document.metadata.apps(.signedIn).isEmpty
      if isLast {
        document.removeTokensAndAccounts()
        document.metadata.signOutCount += 1
      }
      stored = document
      return isLast
    }
    if isLast {
      var failures = RecordFailures()
      try await AccountDirectory(backend: backend).removeRest(of: account, clientID: clientID, &failures)
      try failures.check()
    }
    return isLast
  }

  /// Returns the families whose items in an older library's format this app may use for an account.
  private func families(of account: Account) async throws -> Set<String> {
    guard legacySignIns(at: authority) != nil else { return [] }
    let records = try await backend.records(
      matching: .all(.credentials, homeAccountID: account.identifier, environment: account.environment))
    let families = records.flatMap { (try? $0.document().appMetadata) ?? [] }.map(\.familyID)
    return Set(["1"] + families.filter { !$0.isEmpty })
  }

  /// Signs this app out of the account in an older library's format.
  private func signOutOfLegacySignIns(_ account: Account, families: Set<String>) async throws {
    guard let shared = legacySignIns(at: authority) else { return }
    try await shared.signOut(
      of: account, for: legacyClient(families: families), try await aliases(of: account))
  }
}
