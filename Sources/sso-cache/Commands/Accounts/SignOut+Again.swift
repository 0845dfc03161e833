// SPDX-License-Identifier: MIT

import SecretStoreCache

/// Signing out of an account that nobody is signed in to: copies that a locked keyring kept, and items that no list
/// shows.
extension SignOut {
  /// Removes what is left of the account.
  ///
  /// - Returns: Whether there was anything.
  func signOutAgain(_ opened: GroupOptions.Opened, _ directory: AccountDirectory) async throws -> Bool {
    let isOfAllClients = opened.app == nil || everywhere || clientID != nil
    // A record of a sign-out may state no user name, which a copy does. ADAL's copy may be known by it only.
    let copies = try await directory.accounts(among: GroupOptions.store.copies(in: opened.group))
    let accounts =
      try await signedOutAccounts(in: directory)
      + chosen.named(account ?? "", among: copies, in: opened.backend)
    let meant = Set(try meant(among: accounts))
    let signedOut: [(account: Account, client: String?)] = accounts.filter(meant.contains).flatMap {
      account in
      let clients: [String?] = isOfAllClients ? [clientID] : account.clients
      return clients.map { (account, $0) }
    }
    if signedOut.isEmpty && !isOfAllClients {
      try await requireNothing(opened, directory)
      return false
    }
    try await confirmAgain(isKnown: !signedOut.isEmpty, opened)
    if signedOut.isEmpty { return try await signOutUnlisted(opened, directory, removes: true) }
    return try await Self.anyExisted(signedOut) {
      try await signOut($0.account, $0.client, opened, directory)
    }
  }

  /// Asks before anything is removed; asks nothing where there is nothing of the account.
  private func confirmAgain(isKnown: Bool, _ opened: GroupOptions.Opened) async throws {
    if yes { return }
    var failures = RecordFailures()
    let isLeft =
      isKnown ? true : try await failures.attempt(nil) { try await completeUnlisted(opened, removes: false) }
    if isLeft != false { try confirm(Printer.printable(account ?? ""), opened) }
  }

  /// Removes what is left of an account that no record names, or only looks for it.
  ///
  /// - Returns: Whether there was anything.
  private func signOutUnlisted(
    _ opened: GroupOptions.Opened, _ directory: AccountDirectory, removes: Bool
  ) async throws -> Bool {
    var failures = RecordFailures()
    let existed = try await failures.attempt(nil) { try await completeUnlisted(opened, removes: removes) }
    if existed == true, removes {
      let unlisted = Account(
        identifier: account ?? "", username: "", environment: chosen.environment?.candidates.first ?? "")
      try await failures.attempt(nil) {
        try await directory.recordSignOut(
          of: unlisted, clientID: clientID, recordedAs: Self.name(of: opened))
      }
    }
    try await failures.attempt(nil) {
      try await directory.requireAttributedRecords(of: clientID, named: account)
    }
    try failures.check()
    return existed == true
  }

  /// Throws an error that names what is left of an account that no client holds, so that the app has no part in it that
  /// is known.
  private func requireNothing(_ opened: GroupOptions.Opened, _ directory: AccountDirectory) async throws {
    let isLeft = try await signOutUnlisted(opened, directory, removes: false)
    let remains = try await chosen.chosen(
      among: directory.remains(of: account ?? ""), in: opened.backend)
    if isLeft || !remains.isEmpty { throw Self.clientIsNotKnown }
  }

  private func completeUnlisted(_ opened: GroupOptions.Opened, removes: Bool) async throws -> Bool {
    let environments: [String?] = chosen.environment?.candidates ?? [nil]
    var failures = RecordFailures()
    var existed = false
    for environment in environments where !existed {
      let isLeft = try await failures.attempt(nil) {
        try await GroupOptions.store.completeSignOut(
          ofUnlisted: account ?? "", environment: environment, clientID: clientID, in: opened.group,
          removes: removes)
      }
      existed = isLeft == true
    }
    try failures.check()
    return existed
  }
}
