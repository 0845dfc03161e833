// SPDX-License-Identifier: MIT

public import KeychainGroupModel
public import TokenCacheModel

/// Looking again after a sign-out.
extension SecretStore {
  /// Checks that a sign-out has left no tokens of an account in a locked keyring.
  ///
  /// Call it after `AccountDirectory.signOut(_:clientID:)` and `AccountDirectory.removeEverything(recordedAs:clock:)`
  /// in a tool or a settings page. These remove every copy in an unlocked keyring. A copy that another program has made
  /// in a keyring of its own stays while that keyring is locked. This call also removes the account's items whose kind
  /// this version doesn't know. An app that uses the agent can see no keyring, so that nothing is checked there.
  ///
  /// - Parameters:
  ///   - account: The account; `nil` for every account.
  ///   - clientID: The client that was signed out; `nil` for every client.
  /// - Returns: Whether it removed an item of an unknown kind.
  /// - Throws: `groupLocked` when items with the account's attributes are in a locked keyring, and with them any ADAL item
  ///   of the group, whose account can't be told. The error's detail names the keyrings. Otherwise `serviceUnavailable`,
  ///   `timedOut` and so on.
  @discardableResult
  public func checkSignOut(
    of account: Account?, clientID: String? = nil, in group: AccessGroup
  ) async throws -> Bool {
    if usesAgent { return false }
    func check(_ client: SecretServiceClient) -> SignOutCheck {
      SignOutCheck(
        client: client, group: group,
        account: account.map { (RecordKey.storedAccount($0.identifier), $0.environment) }, clientID: clientID)
    }
    let left = try await guarded { try await check($0).leftItems() }
    let unknown = try await guarded { try await check($0).ownUnknownItems() }
    if !unknown.isEmpty {
      try await changing(group, within: options.timeout) { client in
        for item in unknown { try await check(client).remove(item) }
      }
    }
    if left.isEmpty { return !unknown.isEmpty }
    throw left.error(account == nil ? "the accounts of \(group)" : "the account in \(group)")
  }

  /// Checks that a removal has left no copy of a secret in a locked keyring.
  ///
  /// - Throws: As ``checkSignOut(of:clientID:in:)``.
  package func checkRemoval(of secret: RecordKey, in group: AccessGroup) async throws {
    if usesAgent { return }
    let left = try await guarded { client in
      var left = LeftItems()
      try await left.add(Set(client.search(ItemAttributes.all(secret, in: group)).locked), client)
      return left
    }
    if !left.isEmpty { throw left.error("the secret in \(group)") }
  }

  /// Returns what stays by design of a group that was deleted.
  package func remains(of group: AccessGroup) async throws -> GroupRemains {
    try await guarded { try await GroupRemains(of: group, $0) }
  }
}
