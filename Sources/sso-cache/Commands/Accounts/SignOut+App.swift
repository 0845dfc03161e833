// SPDX-License-Identifier: MIT

import ADALCache
import SecretStoreCache

/// Signing one app out of an account.
extension SignOut {
  /// Signs one app out of an account.
  ///
  /// - Returns: Whether the app was signed in, or anything was left of the account.
  func signOut(
    _ app: AppIdentifier, of account: Account, _ opened: GroupOptions.Opened, _ directory: AccountDirectory
  ) async throws -> Bool {
    let clients = try await clients(of: app, having: account, opened, directory)
    if clients.isEmpty { throw Self.clientIsNotKnown }
    // The clients that the account is listed for still: nothing of it could be removed.
    var listed: Set<String> = []
    var wasSignedIn = false
    var failures = RecordFailures()
    let existed = try await failures.attempt(nil) {
      try await Self.anyExisted(clients) { client in
        let outcome = try await signOut(app, client, of: account, opened, directory)
        if outcome.isListed { listed.insert(client) }
        wasSignedIn = wasSignedIn || outcome.wasSignedIn
        return outcome.existed
      }
    }
    let used = try await directory.accounts().first { $0 == account }?.clients ?? []
    let wasLeft = try await failures.attempt(nil) {
      try await Self.anyExisted(clients) { client in
        if used.contains(client), !listed.contains(client) {
          // Another app uses the client, or a list shows another program's item.
          try await GroupOptions.store.requireUnlistedItems(
            of: account, clientID: client, in: opened.group, directory)
          return false
        }
        return try await Self.checking(account, client, opened, directory) {
          try await directory.requireAttributedRecords(of: client)
          return false
        }
      }
    }
    for client in listed {
      try await failures.attempt(nil) {
        if try await cache(of: app, client, opened).accounts().contains(account) {
          throw ListedStill(account: account, client: client, group: opened.group).error
        }
      }
    }
    if clientID == nil && !wasSignedIn {
      try await failures.attempt(nil) { try await requireNoOtherClient(of: account, opened) }
    }
    try failures.check()
    return existed == true || wasLeft == true
  }

  /// Returns the clients to sign the app out of: those that hold the account, and the group's others for which the
  /// app's list shows it, through their family.
  private func clients(
    of app: AppIdentifier, having account: Account, _ opened: GroupOptions.Opened,
    _ directory: AccountDirectory
  ) async throws -> [String] {
    if let clientID { return [clientID] }
    var clients = account.clients
    let others = Set(try await directory.accounts().flatMap(\.clients)).subtracting(clients)
    for client in others.sorted() where try await cache(of: app, client, opened).accounts().contains(account)
    {
      clients.append(client)
    }
    return clients
  }

  /// Throws when a client that the group doesn't know may have the account through its family.
  ///
  /// The app may be of such a client if it has not signed in to the account by a client that the group knows.
  private func requireNoOtherClient(of account: Account, _ opened: GroupOptions.Opened) async throws {
    let families = FamilyUse(backend: opened.backend)
    if try await families.hasTokens(of: account.identifier, environment: account.storageEnvironment) {
      throw SecretStoreError(
        .invalidArgument,
        "The app is signed out of the clients that hold the account, and never signed in by one of them:"
          + " by another client of their family it may still have the account.",
        underlying: OtherClient())
    }
  }

  /// Signs one app of one client out of an account.
  ///
  /// - Returns: Whether there was anything for the app, whether the account is listed for it still, and whether it had
  ///   signed in.
  private func signOut(
    _ app: AppIdentifier, _ client: String, of account: Account, _ opened: GroupOptions.Opened,
    _ directory: AccountDirectory
  ) async throws -> (existed: Bool, isListed: Bool, wasSignedIn: Bool) {
    var failures = RecordFailures()
    try await failures.attempt(nil) { try await correctItems(of: account, client, opened, directory) }
    let cache = try cache(of: app, client, opened)
    let wasListed = try await cache.accounts().contains(account)
    let wasSignedIn: Bool
    do {
      wasSignedIn = try await cache.signInState(of: account) == .signedIn
    } catch let error as SecretStoreError where error.code != .timedOut {
      wasSignedIn = false
    }
    let existed = try await cache.signOut(account) || wasListed
    let isListed = try await cache.accounts().contains(account)
    try failures.check()
    return (existed, isListed, wasSignedIn)
  }

  private func cache(
    of app: AppIdentifier, _ client: String, _ opened: GroupOptions.Opened
  ) throws -> TokenCache {
    try TokenCache(opened: .init(group: opened.group, backend: opened.backend, app: app), clientID: client)
  }
}

/// The reason why an app's sign-out is not known to be complete.
private struct OtherClient: ErrorWithRemedy {
  var remedy: String { "Run it again with the --client-id of the app." }
}
