// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Looks for what a sign-out has left of an account, or of all accounts of a group.
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
      let found = try await client.search(attributes)
      try await left.add(Set(found.locked), areLocked: true, client)
      try await left.add(holdingTokens(found.unlocked, kind), areLocked: false, client)
    }
    return left
  }

  /// The attributes of the items of a kind.
  ///
  /// An ADAL item does not name its account, so those of all accounts are looked at.
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

  /// Returns those of the unlocked items that hold tokens of the account or can't be read, without other programs'.
  private func holdingTokens(_ items: [ObjectPath], _ kind: RecordKind) async throws -> Set<ObjectPath> {
    // An unlocked ADAL item was found by its content.
    if items.isEmpty || kind == .legacy && account != nil { return [] }
    let secrets = try await client.secrets(of: items)
    let suspects = items.filter { path in
      guard let secret = secrets[path], !secret.isEmpty else { return false }
      guard kind != .damaged, let document = secret.document else { return true }
      return document.hasTokens || document.adalToken?.kind != nil
    }
    let foreign = try await client.foreign(among: client.attributes(of: suspects))
    return Set(suspects).subtracting(foreign)
  }
}
