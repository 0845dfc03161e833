// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension TokenCache {
  /// Returns the account of a single-account app, and whether it has changed since the app's last call.
  ///
  /// Another app of the suite may have signed in another user. A single-account app calls this when it starts and when
  /// it comes to the foreground. The last account is stored for each app, in the client's record for the environment of
  /// this cache's authority. The call costs one look-up, and a write when the account has changed.
  ///
  /// - Throws: `ambiguousAccount` when several accounts are signed in, and the last account stays as it was;
  ///   `invalidArgument` without an app; and see ``accounts(includingSignedOut:)``.
  public func currentAccount() async throws -> CurrentAccount {
    guard let app else {
      throw SecretStoreError(.invalidArgument, "Only an app has a current account.")
    }
    let account = try await account()
    let key = RecordKey.client(
      clientID, environment: try await aliases(for: authority).canonical(authority.storageEnvironment))
    let record = try await backend.record(for: key)
    let metadata = record.flatMap(readable)?.metadata
    let previous = metadata?[currentAccountOf: app]
    let current = CurrentAccount(
      account: account, previousIdentifier: previous, previousName: metadata?[currentNameOf: app])
    // An unreadable record is not overwritten. Until it is removed, each call counts as the app's first.
    if let record, (try? record.document()) == nil { return current }
    if current.hasChanged || previous != account?.identifier {
      try await backend.update(key) { stored in
        var document = stored ?? CacheDocument()
        document.metadata[currentAccountOf: app] = account?.identifier
        let hasIdentifier = account?.identifier.isEmpty != true
        document.metadata[currentNameOf: app] = hasIdentifier ? nil : Username(account?.username).compared
        stored = document
      }
    }
    return current
  }
}
