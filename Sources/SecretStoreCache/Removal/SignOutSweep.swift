// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Finds what a sign-out by records leaves: items whose attributes spell the account, its cloud or the client in
/// another way or name another record, those that can't be read, and older copies of other records with entries of the
/// account.
///
/// An item whose document can be read belongs to whom the document names, any other to whom its attributes name.
struct SignOutSweep: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup
  let backend: any TokenCacheBackend
  /// The account, with an empty environment for any; `nil` for all accounts of the group.
  let account: Account?
  /// The client; `nil` for all clients.
  let clientID: String?
  let aliases: EnvironmentAliases
  /// Whether a document is the account's, also in an older library's format, which names no account.
  var isOwned: @Sendable (CacheDocument) -> Bool = { _ in false }
  /// Whether items of all accounts that can't be read are found, too.
  var findsUnreadable = false

  struct Found: Sendable {
    /// The items to delete.
    var items: Set<ObjectPath> = []
    /// The items of other records with entries of the account, each with the record that its document names.
    var others: [ObjectPath: RecordKey] = [:]
    /// The records with a copy that holds entries of the account.
    var records: Set<RecordKey> = []
    /// Other programs' items that lists show.
    var listed: Set<ObjectPath> = []
    /// The records of items that can't be read and name no account; they may be the account's.
    var unattributed: Set<RecordKey> = []
    /// Items of the account without a publisher that may be of another publisher's group of that name.
    var withoutOwner: Set<ObjectPath> = []

    /// The number of items to delete or to clean, and of records with such copies.
    var count: Int { items.count + others.count + records.count }
  }

  /// What a document holds of the account.
  private enum Share {
    case nothing, entries, everything
  }

  /// Whether families' tokens are in use, as far as it was asked.
  private typealias FamiliesInUse = [RecordKey: Bool]

  /// The kinds of record that may hold entries of an account.
  private static let kinds: Set<RecordKind> = [.credentials, .family, .client, .groupData]

  /// Returns what is in unlocked collections.
  ///
  /// - Parameter withoutOwner: The items with the group's name that a search for its items doesn't find.
  func found(with withoutOwner: ItemsWithoutOwner) async throws -> Found {
    let paths = try await client.search(ItemAttributes.owner(group)).unlocked
    let attributes = try await client.attributes(of: paths).merging(withoutOwner.own) { $1 }
    let secrets = try await client.secrets(of: Array(attributes.keys))
    let foreign = try await client.foreign(among: attributes).subtracting(withoutOwner.own.keys)
    var found = Found()
    found.withoutOwner = try await ofAccount(withoutOwner.others)
    var copies: [RecordKey: [CacheDocument]] = [:]
    var others = ListedForeignItems()
    var families = FamiliesInUse()
    for (path, attributes) in attributes {
      // An item without content is being written, or was never written.
      guard let secret = secrets[path], !secret.isEmpty else { continue }
      guard let document = secret.document, let record = document.metadata.record else {
        if foreign.contains(path) { continue }
        let isLeft = try await isLeft(unreadable: attributes, &families)
        if isLeft || holdsAccountAlone(secret.document, attributes) {
          found.items.insert(path)
        } else if let key = unattributed(attributes) {
          found.unattributed.insert(key)
        }
        continue
      }
      if foreign.contains(path) {
        if try await isOfAccount(document, of: record, &families) { others.add(path, attributes, record) }
        continue
      }
      // A sign-out searches by the owner, which these items lack.
      let hasOwner = withoutOwner.own[path] == nil
      let isRecord = hasOwner && record == ItemAttributes.key(attributes)
      if isRecord, !namesAccount(attributes) || isSpelledAsStored(attributes) {
        copies[record, default: []].append(document)
        continue
      }
      switch try await share(in: document, of: record, &families) {
      case .nothing:
        if !hasOwner, try await isOfAccount(document, of: record, &families) { found.items.insert(path) }
      case .entries: found.others[path] = record
      case .everything: found.items.insert(path)
      }
    }
    let several = copies.filter { record, copies in
      copies.count > 1 && copies.contains { holds($0, of: record) }
    }
    found.records = Set(several.keys)
    found.listed = others.listed(beside: Set(copies.keys))
    return found
  }

  /// Returns those of the items that hold anything of the account, or name it where they can't be read.
  private func ofAccount(_ items: [ObjectPath: [String: String]]) async throws -> Set<ObjectPath> {
    let secrets = try await client.secrets(of: Array(items.keys))
    var families = FamiliesInUse()
    var found: Set<ObjectPath> = []
    for (path, attributes) in items {
      guard let secret = secrets[path], !secret.isEmpty else { continue }
      if let document = secret.document, let record = document.metadata.record {
        if try await isOfAccount(document, of: record, &families) { found.insert(path) }
      } else if holdsAccountAlone(secret.document, attributes) {
        found.insert(path)
      } else if try await isLeft(unreadable: attributes, &families) {
        found.insert(path)
      }
    }
    return found
  }

  /// Returns whether an item that can't be read goes with the account.
  private func isLeft(
    unreadable attributes: [String: String], _ families: inout FamiliesInUse
  ) async throws -> Bool {
    if namesAccount(attributes) { return try await !isFamilyInUse(attributes, &families) }
    return findsUnreadable && isSignIn(attributes)
  }

  /// Returns the record of a sign-in's item that can't be read, if it names no account and may be the client's.
  ///
  /// A sign-out finds ADAL's items, which never name one, by itself.
  private func unattributed(_ attributes: [String: String]) -> RecordKey? {
    guard account != nil, let key = ItemAttributes.key(attributes) else { return nil }
    let record = key.originalOfSetAside ?? key
    guard [.credentials, .family].contains(record.kind), record.account.isEmpty else { return nil }
    let isOfClient = clientID.map { RecordKey.storedClient($0) == RecordKey.storedClient(record.clientID) }
    return isOfClient != false || record.clientID.isEmpty ? record : nil
  }

  /// Returns whether all tokens of a document that names no record are the account's.
  private func holdsAccountAlone(_ document: CacheDocument?, _ attributes: [String: String]) -> Bool {
    guard account != nil, var document, let record = ItemAttributes.key(attributes),
      holds(document, of: record)
    else { return false }
    clean(&document, of: record)
    return !document.hasTokens
  }

  /// Returns whether another program's item holds anything of the account.
  private func isOfAccount(
    _ document: CacheDocument, of record: RecordKey, _ families: inout FamiliesInUse
  ) async throws -> Bool {
    let isOfClient = clientID.map { record.clientID == RecordKey.storedClient($0) } ?? true
    if isOfClient, isOwned(document) { return true }
    return try await share(in: document, of: record, &families) != .nothing
  }

  private func share(
    in document: CacheDocument, of record: RecordKey, _ families: inout FamiliesInUse
  ) async throws -> Share {
    let attributes = ItemAttributes.all(record, in: group)
    if account == nil {
      if findsUnreadable, isSignIn(attributes) || record == AccountDirectory.hintRecord { return .everything }
      guard holds(document, of: record) else { return .nothing }
      return record.kind == .groupData && record != CachePartitioner.leftovers ? .entries : .everything
    }
    let isOthers = !record.account.isEmpty && document.isOfOthers(than: record.account)
    if namesAccount(attributes), !isOthers, try await !isFamilyInUse(attributes, &families) {
      return .everything
    }
    return holds(document, of: record) ? .entries : .nothing
  }

  /// Returns whether attributes are those of a family's token that another client uses, so that it stays.
  private func isFamilyInUse(
    _ attributes: [String: String], _ known: inout FamiliesInUse
  ) async throws -> Bool {
    guard let account, clientID != nil, attributes["kind"] == RecordKind.family.rawValue else { return false }
    let stated = attributes["environment"] ?? ""
    let environment = aliases.canonical(stated.isEmpty ? account.storageEnvironment : stated)
    let family = RecordKey.family(
      homeAccountID: account.identifier, environment: environment, familyID: attributes["family_id"] ?? "")
    if let isUsed = known[family] { return isUsed }
    let isUsed = try await FamilyUse(backend: backend).isUsed(family)
    known[family] = isUsed
    return isUsed
  }

  /// Returns the items in locked collections.
  ///
  /// The attributes of an item are digests while its collection has not been unlocked since the daemon started. Then
  /// only the usual spellings are looked for.
  ///
  /// - Parameter withoutOwner: As for ``found(with:)``.
  func locked(with withoutOwner: ItemsWithoutOwner) async throws -> Set<ObjectPath> {
    guard let account, !account.identifier.isEmpty else { return [] }
    var families = FamiliesInUse()
    var (found, hidden): (Set<ObjectPath>, Set<ObjectPath>) = ([], [])
    let locked = try await client.search(ItemAttributes.owner(group)).locked
    let attributes = try await client.attributes(of: locked).merging(withoutOwner.locked) { $1 }
    for (path, attributes) in attributes {
      if attributes["group"] != group.name {
        hidden.insert(path)
      } else if namesAccount(attributes), attributes["publisher"] == nil || !isSpelledAsStored(attributes),
        try await !isFamilyInUse(attributes, &families)
      {
        found.insert(path)
      }
    }
    if hidden.isEmpty { return found }
    for spelling in Self.spellings(of: account, clientID, aliases) {
      let items = try await client.search(["group": group.name].merging(spelling) { $1 }).locked
      found.formUnion(hidden.intersection(items))
    }
    return found
  }

  /// Removes the account's entries from the document of one of the items in ``Found/others``.
  func clean(_ document: inout CacheDocument, of record: RecordKey) {
    if let account {
      EntryRemoval(of: account, clientID: clientID, aliases).apply(to: &document, of: record)
    } else {
      document.removeOwnedEntries()
    }
  }

  /// Returns whether attributes name the account, and the client, in any spelling.
  private func namesAccount(_ attributes: [String: String]) -> Bool {
    guard let account, let name = attributes["home_account_id"], !name.isEmpty,
      !ItemAttributes.kindsWithoutAccount.contains(attributes["kind"] ?? "")
    else { return false }
    guard HomeAccountID(account.identifier).isNamed(by: name) else { return false }
    let environment = attributes["environment"] ?? ""
    guard
      environment.isEmpty || account.storageEnvironment.isEmpty
        || aliases.areSame(environment, account.storageEnvironment)
    else { return false }
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
    if record.kind == .legacy { return account == nil && document.adalToken?.kind != nil }
    guard Self.kinds.contains(record.kind), record != AccountDirectory.hintRecord, !record.isKeychainObject,
      account?.identifier.isEmpty != true
    else { return false }
    var cleaned = document
    clean(&cleaned, of: record)
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
      let hosts = account.storageEnvironment.isEmpty ? [] : aliases.hosts(of: account.storageEnvironment)
      let environments = Set(hosts + hosts.map { $0.uppercased() } + [""]).map { ["environment": $0] }
      for environment in hosts.isEmpty ? [[:]] : environments {
        let spelling = ["home_account_id": name].merging(environment) { $1 }
        spellings += clients.map { $0.map { spelling.merging(["client_id": $0]) { $1 } } } ?? [spelling]
      }
    }
    return spellings
  }
}
