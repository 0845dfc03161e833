// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Looks for what a sign-out has left of an account, or of all accounts of a group, in locked collections.
struct SignOutCheck: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  /// The account's ID in its stored form, `nil` when it is not known, and its environment, `nil` for any; `nil` for all
  /// accounts.
  let account: (stored: String?, environment: String?)?
  /// The client; `nil` for all clients.
  let clientID: String?

  /// Returns the items that are left.
  ///
  /// - Parameters:
  ///   - others: Items that the attributes of the account don't find.
  ///   - withoutOwner: The items with the group's name that a search for its items doesn't find.
  func leftItems(
    and others: Set<ObjectPath>, _ withoutOwner: ItemsWithoutOwner
  ) async throws -> LeftItems {
    let finder = GroupFinder(client: client, group: group)
    var locked = others
    var uncertain: Set<ObjectPath> = []
    for attributes in searches {
      // This opens the group's own collections.
      let own = try await finder.search(attributes)
      // While another client uses the family's token, it stays.
      if clientID != nil, attributes["kind"] == RecordKind.family.rawValue, !own.unlocked.isEmpty { continue }
      var found = try await withoutOwner.locked(matching: attributes, client)
        .union(client.search(attributes).locked)
      if account != nil, attributes["kind"] == RecordKind.damaged.rawValue,
        attributes["home_account_id"] == ""
      {
        found = try await unattributed(among: found)
      }
      locked.formUnion(found)
      let namesAccount = account?.stored != nil && attributes["home_account_id"] == account?.stored
      if account != nil, !namesAccount { uncertain.formUnion(found) }
    }
    try await locked.formUnion(unknownItems().locked)
    var left = LeftItems()
    left.isUncertain = !uncertain.isEmpty
    try await left.add(locked, client)
    return left
  }

  /// Returns those of the items that were set aside that may hold any account's tokens, as far as attributes show.
  private func unattributed(among setAside: Set<ObjectPath>) async throws -> Set<ObjectPath> {
    let attributes = try await client.attributes(of: Array(setAside))
    return setAside.filter { item in
      guard let original = attributes[item].flatMap(ItemAttributes.key)?.originalOfSetAside else {
        return true
      }
      return original.kind == .legacy || original == CachePartitioner.leftovers
    }
  }

  /// Returns the items of the account, or of the group, whose kind this version doesn't know.
  private func unknownItems() async throws -> FoundItems {
    var owner = ItemAttributes.owner(group)
    owner["home_account_id"] = account?.stored
    owner["environment"] = environment
    owner["client_id"] = client(of: clientID)
    var found = try await client.search(owner)
    var known = RecordKind.allCases.map { ["kind": $0.rawValue] }
    // Those of the library name no account.
    if account?.stored == nil {
      known += ItemAttributes.kindsWithoutRecord.map { ["kind": $0, "home_account_id": ""] }
    }
    for attributes in known {
      let known = try await client.search(owner.merging(attributes) { $1 })
      found.unlocked.removeAll(where: Set(known.unlocked).contains)
      found.locked.removeAll(where: Set(known.locked).contains)
    }
    return found
  }

  /// Returns the unlocked ones of ``unknownItems()`` that name an account, aren't another program's and don't hold a
  /// known record's document, which says whose it is.
  func ownUnknownItems() async throws -> [ObjectPath] {
    let attributes = try await client.attributes(of: unknownItems().unlocked)
    let foreign = try await client.foreign(among: attributes)
    let own = attributes.filter {
      $0.value["home_account_id"]?.isEmpty == false && !foreign.contains($0.key)
    }
    let secrets = try await client.secrets(of: Array(own.keys))
    return own.keys.filter { secrets[$0]?.document?.metadata.record == nil }
  }

  private var environment: String? { account?.environment.map(CloudEnvironment.canonical) }

  private func client(of id: String?) -> String? { id.map(RecordKey.storedClient) }

  /// The attributes of what the sign-out removes.
  ///
  /// An ADAL item does not name its account, and neither does what an import left over or what was set aside of either.
  /// So those of all accounts are looked for.
  private var searches: [[String: String]] {
    let leftovers = ItemAttributes.identifying(CachePartitioner.leftovers, in: group)
    if account == nil {
      let kinds: [RecordKind] = [.credentials, .family, .legacy, .client, .damaged]
      return kinds.map { matching($0) } + [
        leftovers, ItemAttributes.identifying(AccountDirectory.hintRecord, in: group),
      ]
    }
    let (account, environment) = (account?.stored, environment)
    var searches = [matching(.family, account, environment), leftovers]
    guard let clientID else {
      searches += [.credentials, .damaged].map { matching($0, account, environment) }
      return searches + [matching(.legacy), matching(.damaged, "")]
    }
    searches += [.credentials, .damaged].map { matching($0, account, environment, clientID) }
    let family = ADALToken.familyPrefix + "1"
    searches += [clientID, family].map { matching(.legacy, nil, nil, $0) }
    searches.append(matching(.legacy).merging(["client_id": clientID.uppercased()]) { $1 })
    return searches + [clientID, family, ""].map { matching(.damaged, "", nil, $0) }
  }

  private func matching(
    _ kind: RecordKind, _ account: String? = nil, _ environment: String? = nil, _ clientID: String? = nil
  ) -> [String: String] {
    let query = RecordQuery(
      kind: kind, account: account, environment: environment, clientID: client(of: clientID))
    return ItemAttributes.matching(query, in: group)
  }
}
