// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension TokenCache {
  /// The account of an app that knows one at a time, and whether it is another one than the last time.
  ///
  /// A suite's other app may have signed somebody else in: a single-account app asks at its start and when it comes
  /// to the front. Each app has a last time of its own, kept in the client's record in the environment of this
  /// cache's authority; it costs one look-up, and a write when the account has changed.
  ///
  /// - Throws: `ambiguousAccount` when several accounts are signed in, and then the last time stays what it was;
  ///   `invalidArgument` without an app; and see ``accounts()``.
  public func currentAccount() async throws -> CurrentAccount {
    guard let app else {
      throw SecretStoreError(.invalidArgument, "Only an app has a current account.")
    }
    let account = try await account()
    let key = RecordKey.client(
      clientID, environment: try await aliases(for: authority).canonical(authority.host))
    let sharing = try await backend.record(for: key)?.document().sharing
    let previous = sharing?[currentAccountOf: app]
    let current = CurrentAccount(
      account: account, previousIdentifier: previous, previousName: sharing?[currentNameOf: app])
    if current.hasChanged || previous != account?.identifier {
      try await backend.update(key) { stored in
        var document = stored ?? CacheDocument()
        document.sharing[currentAccountOf: app] = account?.identifier
        let hasIdentifier = account?.identifier.isEmpty != true
        document.sharing[currentNameOf: app] = hasIdentifier ? nil : ADALTokenKey.user(account?.username)
        stored = document
      }
    }
    return current
  }
}
