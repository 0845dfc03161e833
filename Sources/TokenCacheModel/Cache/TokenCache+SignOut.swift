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
  /// The tokens are removed with the last app of the client that uses them, wherever the group has them; a record
  /// without tokens remains. Nothing is revoked at the server. Signing out of an unknown account is no error. A cache
  /// without an app signs all apps of the client out.
  ///
  /// If the cache uses an identity broker, the last app of the client that signs out also removes the account from the
  /// broker, for this client only.
  ///
  /// - Returns: Whether anything was left of the account for the app to sign out of.
  /// - Throws: Whatever the back end throws; then call it again. `storageFailed` when a provider of external accounts
  ///   fails, with its error as the underlying one; and the error of a broker that does not reply or refuses. The app
  ///   is signed out then.
  @discardableResult
  public func signOut(_ account: Account) async throws -> Bool {
    var isLast = true
    var existed = false
    if app == nil {
      existed = try await AccountDirectory(backend: backend, legacySignIns: options.legacySignIns)
        .signOut(account, clientID: clientID)
    } else {
      let families = try await families(of: account)
      let isKnown = !account.identifier.isEmpty
      for account in isKnown ? [account] : try await unifiedAccounts(namedAs: account) {
        let signOut = try await signOutApp(account)
        isLast = signOut.isLast
        existed = signOut.existed || existed
      }
      existed = try await signOutOfLegacySignIns(account, families: families) || existed
    }
    let error = await external.remove(account)
    if isLast { try await removeFromBroker(account) }
    if let error { throw error }
    return existed
  }

  /// Signs this app out in the unified format.
  ///
  /// - Returns: Whether the app was the last one of the client that used the account, and whether anything was left of
  ///   the account for it.
  @discardableResult
  func signOutApp(_ account: Account) async throws -> (isLast: Bool, existed: Bool) {
    let key = key(account, try await aliases(of: account))
    var canRedeem = true
    if try await backend.record(for: key) == nil {
      canRedeem = try await FamilyUse(backend: backend).canRedeem(
        account.identifier, environment: account.storageEnvironment, clientID: clientID)
      // A refresh would make a record again that was set aside.
      if !canRedeem { canRedeem = try await backend.setAsideDamaged(key, since: 0) }
    }
    var (isLast, existed) = try await backend.update(key) { [app, canRedeem, now = clock.now()] stored in
      // The broker may go on listing the account, so the sign-out is recorded.
      guard stored != nil || canRedeem || account.isFromBroker else { return (false, false) }
      let existed = stored?.isSignedOut(for: app) != true
      var document = stored ?? CacheDocument()
      document.metadata.rememberNames([account.username])
      document.metadata[app] = .signedOut
      let isLast = document.metadata.apps(.signedIn).isEmpty
      if isLast {
        document.removeTokensAndAccounts()
        document.metadata.raiseSignOutNumber()
        document.metadata.signOut = app.map { ($0.name, now) }
      }
      stored = document
      return (isLast, existed)
    }
    if isLast {
      var failures = RecordFailures()
      let directory = AccountDirectory(backend: backend)
      existed = try await directory.removeRest(of: account, clientID: clientID, &failures) || existed
      try failures.check()
    }
    return (isLast, existed)
  }

  /// Returns the families whose items in an older library's format this app may use for an account.
  private func families(of account: Account) async throws -> Set<String> {
    guard legacySignIns(at: authority) != nil else { return [] }
    let records = try await backend.records(
      matching: .all(.credentials, homeAccountID: account.identifier, environment: account.storageEnvironment)
    )
    let families = records.flatMap { (try? $0.document().appMetadata) ?? [] }.map(\.familyID)
    return Set(["1"] + families.filter { !$0.isEmpty })
  }

  /// Signs this app out of the account in an older library's format.
  ///
  /// - Returns: Whether anything was left of the account for the app.
  private func signOutOfLegacySignIns(_ account: Account, families: Set<String>) async throws -> Bool {
    guard let shared = legacySignIns(at: authority) else { return false }
    return try await shared.signOut(
      of: account, for: legacyClient(families: families), at: clock.now(), try await aliases(of: account))
  }
}
