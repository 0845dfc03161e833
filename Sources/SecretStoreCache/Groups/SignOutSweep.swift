// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds what a sign-out by records leaves: items whose attributes spell the account, its cloud or the client in another
/// way or name another record, those that can't be read, and older copies of other records with entries of the account.
///
/// It reads every item of the group.
struct SignOutSweep: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  /// The account; `nil` for all accounts of the group.
  let account: Account?
  /// The client; `nil` for all clients.
  let clientID: String?
  let aliases: EnvironmentAliases
  /// Whether items of all accounts that can't be read are found, too.
  var findsUnreadable = false

  struct Found: Sendable {
    /// The items to delete.
    var items: Set<ObjectPath> = []
    /// The records with a copy that holds entries of the account.
    var records: Set<RecordKey> = []

    var isEmpty: Bool { items.isEmpty && records.isEmpty }
  }

  /// The kinds of record that may hold entries of an account.
  private static let kinds: Set<RecordKind> = [.credentials, .family, .client, .groupData]

  /// The kinds of item that name no account, whatever their attributes are.
  private static let kindsWithoutAccount =
    [RecordKind.group, .groupKey, .secret].map(\.rawValue) + ItemAttributes.kindsWithoutRecord

  /// Returns what is in unlocked collections, without other programs' items.
  func found() async throws -> Found {
    let paths = try await client.search(ItemAttributes.owner(group)).unlocked
    let attributes = try await client.attributes(of: paths)
    let secrets = try await client.secrets(of: paths)
    let foreign = try await client.foreign(among: attributes)
    var found = Found()
    var copies: [RecordKey: [CacheDocument]] = [:]
    for (path, attributes) in attributes where !foreign.contains(path) {
      // An item without content is being written, or was never written.
      guard let secret = secrets[path], !secret.isEmpty else { continue }
      let document = secret.document
      let record = document?.metadata.record
      let isRecord = record != nil && record == ItemAttributes.key(attributes)
      // While another client uses the family's token, it stays.
      let isFamily = clientID != nil && attributes["kind"] == RecordKind.family.rawValue
      if namesAccount(attributes), !isFamily, !isRecord || !isSpelledAsStored(attributes) {
        found.items.insert(path)
      } else if findsUnreadable, !isRecord, isSignIn(attributes) {
        found.items.insert(path)
      } else if let document, let record, Self.kinds.contains(record.kind) {
        if isRecord {
          copies[record, default: []].append(document)
        } else if holds(document, of: record) {
          found.items.insert(path)
        }
      }
    }
    let several = copies.filter { record, copies in
      copies.count > 1 && copies.contains { holds($0, of: record) }
    }
    found.records = Set(several.keys)
    return found
  }

  /// Returns the items in locked collections.
  ///
  /// The attributes of an item are digests while its collection has not been unlocked since the daemon started. Then
  /// only the usual spellings are looked for.
  func locked() async throws -> Set<ObjectPath> {
    guard let account, !account.identifier.isEmpty else { return [] }
    let locked = try await client.search(ItemAttributes.owner(group)).locked
    let attributes = try await client.attributes(of: locked)
    var (found, hidden): (Set<ObjectPath>, Set<ObjectPath>) = ([], [])
    for (path, attributes) in attributes {
      if attributes["group"] != group.name {
        hidden.insert(path)
      } else if namesAccount(attributes), !isSpelledAsStored(attributes) {
        found.insert(path)
      }
    }
    if hidden.isEmpty { return found }
    for spelling in Self.spellings(of: account, clientID, aliases) {
      let items = try await client.search(ItemAttributes.owner(group).merging(spelling) { $1 }).locked
      found.formUnion(hidden.intersection(items))
    }
    return found
  }

  /// Returns whether attributes name the account, and the client, in any spelling.
  private func namesAccount(_ attributes: [String: String]) -> Bool {
    guard let account, let name = attributes["home_account_id"], !name.isEmpty,
      !Self.kindsWithoutAccount.contains(attributes["kind"] ?? "")
    else { return false }
    let stored = RecordKey.storedAccount(account.identifier)
    guard [name.lowercased(), RecordKey.storedAccount(name)].contains(stored) else { return false }
    let environment = attributes["environment"] ?? ""
    guard environment.isEmpty || aliases.areSame(environment, account.environment) else { return false }
    guard let clientID, attributes["kind"] != RecordKind.family.rawValue else { return true }
    return RecordKey.storedClient(attributes["client_id"] ?? "") == RecordKey.storedClient(clientID)
  }

  /// Returns whether attributes are those of a record of an account or a client, or of one that was set aside.
  private func isSignIn(_ attributes: [String: String]) -> Bool {
    guard let key = ItemAttributes.key(attributes) else { return false }
    return [.credentials, .family, .client, .legacy].contains(key.kind) || key.isSetAsideSignIn
  }

  /// Returns whether attributes spell an account, its cloud and a client as records do.
  private func isSpelledAsStored(_ attributes: [String: String]) -> Bool {
    let (environment, client) = (attributes["environment"] ?? "", attributes["client_id"] ?? "")
    return attributes["home_account_id"] == account.map { RecordKey.storedAccount($0.identifier) }
      && environment == aliases.canonical(environment) && client == RecordKey.storedClient(client)
  }

  /// Returns whether a document holds entries of the account.
  private func holds(_ document: CacheDocument, of record: RecordKey) -> Bool {
    guard record != AccountDirectory.hintRecord, !record.isKeychainObject else { return false }
    guard let account else { return document.hasTokens || !document.owners.isEmpty }
    var cleaned = document
    EntryRemoval(of: account, clientID: clientID, aliases).apply(to: &cleaned, of: record)
    return cleaned != document
  }

  /// Returns the attributes of the usual spellings of an account and a client.
  private static func spellings(
    of account: Account, _ clientID: String?, _ aliases: EnvironmentAliases
  ) -> [[String: String]] {
    let stored = RecordKey.storedAccount(account.identifier)
    let clients = clientID.map { Set([RecordKey.storedClient($0), $0, $0.uppercased()]) }
    var spellings: [[String: String]] = []
    for name in Set([stored, stored.uppercased(), account.identifier]) {
      let hosts = aliases.hosts(of: account.environment)
      for host in Set(hosts + hosts.map { $0.uppercased() } + [""]) {
        let spelling = ["home_account_id": name, "environment": host]
        spellings += clients.map { $0.map { spelling.merging(["client_id": $0]) { $1 } } } ?? [spelling]
      }
    }
    return spellings
  }
}
