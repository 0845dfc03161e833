// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel

/// Looking again after a sign-out.
extension SecretStore {
  /// Checks that a sign-out has left no tokens of an account in a locked keyring.
  ///
  /// Call it after `AccountDirectory.signOut(_:clientID:)` and `AccountDirectory.removeEverything(recordedAs:clock:)`
  /// in a tool or a settings page. These remove every copy in an unlocked keyring. A copy that another program has made
  /// in a keyring of its own stays while that keyring is locked. An app that uses the agent can see no keyring, so that
  /// nothing is checked there.
  ///
  /// - Parameters:
  ///   - account: The account; `nil` for every account.
  ///   - clientID: The client that was signed out; `nil` for every client.
  /// - Throws: `groupLocked` when items with the account's attributes are in a locked keyring, and with them any ADAL item
  ///   of the group, whose account can't be told. The error's detail names the keyrings. Otherwise `serviceUnavailable`,
  ///   `timedOut` and so on.
  public func checkSignOut(
    of account: Account?, clientID: String? = nil, in group: AccessGroup
  ) async throws {
    if usesAgent { return }
    let left = try await guarded { client in
      try await SignOutCheck(
        client: client, group: group,
        account: account.map { (RecordKey.storedAccount($0.identifier), $0.environment) }, clientID: clientID
      ).leftItems()
    }
    if left.isEmpty { return }
    throw left.error(account == nil ? "the accounts of \(group)" : "the account in \(group)")
  }
}
