// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Looks for what a sign-out has left of an account, or of all accounts of a group, in locked collections.
struct SignOutCheck: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  /// The account's ID in its stored form and its environment; `nil` for all accounts.
  let account: (stored: String, environment: String)?
  /// The client; `nil` for all clients.
  let clientID: String?

  /// The kinds of record that hold tokens.
  private var kinds: [RecordKind] {
    clientID == nil ? [.credentials, .family, .legacy, .damaged] : [.credentials, .legacy, .damaged]
  }

  /// Returns the items that are left.
  func leftItems() async throws -> LeftItems {
    let finder = GroupFinder(client: client, group: group)
    var left = LeftItems()
    for kind in kinds {
      let attributes = attributes(kind)
      // This opens the group's own collections.
      _ = try await finder.search(attributes)
      try await left.add(Set(client.search(attributes).locked), client)
    }
    return left
  }

  /// The attributes of the items of a kind.
  ///
  /// An ADAL item does not name its account, so those of all accounts are looked for.
  private func attributes(_ kind: RecordKind) -> [String: String] {
    var attributes = ItemAttributes.owner(group)
    attributes["kind"] = kind.rawValue
    attributes["client_id"] = clientID.map(RecordKey.storedClient)
    if kind != .legacy {
      attributes["home_account_id"] = account?.stored
      attributes["environment"] = account.map { CloudEnvironment.canonical($0.environment) }
    }
    return attributes
  }
}
