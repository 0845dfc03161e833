// SPDX-License-Identifier: MIT

import FoundationEssentials
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
      isKnown
      ? true : try await failures.attempt(nil) { try await completeUnlisted(opened, removes: false) != nil }
    if isLeft != false { try confirm(Printer.printable(account ?? ""), opened) }
  }

  /// Removes what is left of an account that no record names, or only looks for it.
  ///
  /// - Returns: Whether there was anything.
  private func signOutUnlisted(
    _ opened: GroupOptions.Opened, _ directory: AccountDirectory, removes: Bool
  ) async throws -> Bool {
    let begin = Date.now
    var failures = RecordFailures()
    let left = try await failures.attempt(nil) { try await completeUnlisted(opened, removes: removes) }
    if removes, let environment = left ?? nil {
      let unlisted = Account(identifier: account ?? "", username: "", environment: environment)
      try await failures.attempt(nil) {
        try await directory.recordSignOut(
          of: unlisted, clientID: clientID, recordedAs: Self.name(of: opened), at: begin)
      }
    }
    try await failures.attempt(nil) {
      try await directory.requireAttributedRecords(of: clientID, named: account)
    }
    try failures.check()
    return (left ?? nil) != nil
  }

  /// Throws an error that names what is left of an account that no client holds, so that the app has no part in it that
  /// is known.
  private func requireNothing(_ opened: GroupOptions.Opened, _ directory: AccountDirectory) async throws {
    let isLeft = try await signOutUnlisted(opened, directory, removes: false)
    let remains = try await chosen.chosen(
      among: directory.remains(of: account ?? ""), in: opened.backend)
    if isLeft || !remains.isEmpty { throw Self.clientIsNotKnown }
  }

  /// Removes what is left of the account, or only looks for it, in each environment that may be meant until there is
  /// something.
  ///
  /// - Returns: The environment, which is empty where any is meant; `nil` when nothing is left.
  private func completeUnlisted(_ opened: GroupOptions.Opened, removes: Bool) async throws -> String? {
    let environments: [String?] = chosen.environment?.candidates ?? [nil]
    var failures = RecordFailures()
    var found: String?
    for environment in environments where found == nil {
      let isLeft = try await failures.attempt(nil) {
        try await GroupOptions.store.completeSignOut(
          ofUnlisted: account ?? "", environment: environment, clientID: clientID, in: opened.group,
          removes: removes)
      }
      if isLeft == true { found = environment ?? "" }
    }
    try failures.check()
    return found
  }
}
