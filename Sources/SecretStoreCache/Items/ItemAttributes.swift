// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The attributes of the items that the library stores.
///
/// Every item has all of them; those that don't apply are empty. `CreateItem` with `replace` overwrites an item whose
/// attributes include the given ones, so a fixed set makes the match exact. Some providers store attributes
/// unencrypted, so they hold identifiers only.
package enum ItemAttributes {
  /// The schema name, which tools show.
  ///
  /// Searches don't use it: a locked gnome-keyring collection does not keep it.
  package static let schema = "org.secretstorecache.Item"

  /// The attribute of a password's item by which gnome-keyring itself unlocks a collection.
  package static let keyring = "keyring"

  /// The names of the attributes that every item has.
  private static let names: Set<String> = [
    "kind", "publisher", "group", "home_account_id", "environment", "client_id", "family_id", "key",
  ]

  /// Returns whether these are the names of an item's attributes.
  static func areNames(_ others: Set<String>) -> Bool { others.isSuperset(of: names) }

  /// Returns whether attributes are a whole set of an item, the schema and gnome-keyring's own aside.
  ///
  /// - Parameter mayHaveOthers: Whether the provider adds attributes, as KeePassXC does.
  static func isWhole(_ attributes: [String: String], mayHaveOthers: Bool) -> Bool {
    let stated = Set(attributes.keys)
    if mayHaveOthers { return stated.isSuperset(of: names) }
    let isPassword = attributes["kind"] == RecordKind.groupKey.rawValue
    return stated.subtracting([SecretServiceClient.schemaAttribute] + (isPassword ? [keyring] : [])) == names
  }

  /// Returns all attributes of a record's item.
  package static func all(_ key: RecordKey, in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = key.kind.rawValue
    attributes["home_account_id"] = key.account
    attributes["environment"] = key.environment
    attributes["client_id"] = key.clientID
    attributes["family_id"] = key.familyID
    attributes["key"] = key.key
    return attributes
  }

  /// Returns the attributes of a record's item that are not empty.
  ///
  /// A search by them also finds an item that lacks empty ones, as lists do.
  package static func identifying(_ key: RecordKey, in group: AccessGroup) -> [String: String] {
    let owner = owner(group)
    return all(key, in: group).filter { owner[$0.key] != nil || !$0.value.isEmpty }
  }

  /// Returns the attributes that match a query.
  static func matching(_ query: RecordQuery, in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = query.kind.rawValue
    attributes["home_account_id"] = query.account
    attributes["environment"] = query.environment
    attributes["client_id"] = query.clientID
    return attributes
  }

  /// Returns the key that an item's attributes name; `nil` when they are not a record's.
  ///
  /// A part that no record can have counts as empty: the item is listed as one that can't be read, and can be removed.
  /// The records of the group as a whole are told apart by such parts alone; for them the result is `nil`.
  package static func key(_ attributes: [String: String]) -> RecordKey? {
    guard let kind = attributes["kind"].flatMap(RecordKind.init) else { return nil }
    let isOfGroup = [.group, .groupKey, .groupData].contains(kind)
    func part(_ name: String) -> String {
      let value = attributes[name] ?? ""
      return !isOfGroup && value.hasUnsafeCharacter ? "" : value
    }
    let key = RecordKey(
      kind: kind, account: part("home_account_id"), environment: part("environment"),
      clientID: part("client_id"), familyID: part("family_id"), key: part("key"))
    return key.isValid ? key : nil
  }

  /// Returns the attributes of an item that no longer belongs to a record.
  static func recycled(in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = recycledKind
    for name in ["home_account_id", "environment", "client_id", "family_id", "key"] { attributes[name] = "" }
    return attributes
  }

  private static let (recycledKind, leaseKind) = ("retired", "making")

  /// The kinds of the library's items that are no record's.
  package static let kindsWithoutRecord = [recycledKind, leaseKind]

  /// The kinds of records that name no account, whatever the attributes are.
  static let kindsWithoutAccount = [RecordKind.group, .groupKey, .secret].map(\.rawValue)

  /// Returns whether attributes name an account, as those of ``kindsWithoutRecord`` do only where another program wrote
  /// them.
  package static func namesAnyAccount(_ attributes: [String: String]) -> Bool {
    attributes["home_account_id"]?.isEmpty == false
  }

  /// The label of an item that no longer belongs to a record.
  static let recycledLabel = "Removed"

  /// The attributes that every item has that is made and deleted again, to see that the provider stores it.
  package static let probe: [String: String] = {
    var attributes = ["kind": "probe", "publisher": "", "group": ""]
    for name in ["home_account_id", "environment", "client_id", "family_id"] { attributes[name] = "" }
    return attributes
  }()

  /// Returns the attributes of such an item.
  ///
  /// - Parameter key: A random key, which no item has yet, so that none is replaced.
  package static func probe(_ key: String) -> [String: String] { probe.merging(["key": key]) { $1 } }

  /// Returns a key that no item has yet.
  package static func randomKey() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

  /// Returns the attributes that every item of a group has that was set aside.
  static func setAside(in group: AccessGroup) -> [String: String] {
    owner(group).merging(["kind": RecordKind.damaged.rawValue]) { $1 }
  }

  /// Returns the attributes that every group creation lease of a group has.
  static func creationLease(of group: AccessGroup) -> [String: String] {
    owner(group).merging(["kind": leaseKind]) { $1 }
  }

  package static func owner(_ group: AccessGroup) -> [String: String] {
    ["publisher": group.publisher?.name ?? "", "group": group.name]
  }

  /// Returns the group that an item's attributes state; `nil` where they state none or an invalid one.
  package static func group(_ attributes: [String: String]) -> AccessGroup? {
    guard let name = attributes["group"], let publisher = attributes["publisher"] else { return nil }
    return try? AccessGroup(name, publisher: publisher.isEmpty ? nil : Publisher(publisher))
  }

  /// Returns an item's label, which names its purpose and not its owner: some providers store labels unencrypted.
  static func label(_ key: RecordKey, in group: AccessGroup) -> String {
    switch key.kind {
    case .group, .groupData, .groupKey: "\(key.purpose) \(group.name)"
    case .credentials, .family, .client, .legacy, .secret, .damaged: key.purpose
    }
  }
}

extension SecretServiceClient {
  /// Returns the items that gnome-keyring itself finds for a collection, such as that of a password that the user
  /// chose.
  ///
  /// The passwords of groups of this name are not among them: another publisher's opens that publisher's keyring.
  func rememberedPasswords(of file: GnomeKeyringFile, beside group: AccessGroup) async throws -> FoundItems {
    let keyring = [ItemAttributes.keyring: file.attribute]
    var found = try await search(keyring)
    let groups = try await search(
      keyring.merging(["kind": RecordKind.groupKey.rawValue, "group": group.name]) { $1 })
    let ofGroups = Set(groups.unlocked + groups.locked)
    found.unlocked.removeAll(where: ofGroups.contains)
    found.locked.removeAll(where: ofGroups.contains)
    return found
  }
}

extension [String: String] {
  /// Returns whether the dictionary contains all pairs of another one.
  package func contains(_ other: [String: String]) -> Bool { other.allSatisfy { self[$0.key] == $0.value } }
}

extension SecretServiceClient {
  /// Replaces an item's attributes by those of an item of this library, whose schema is one of them.
  package func setAttributes(withSchema attributes: [String: String], of item: ObjectPath) async throws {
    var attributes = attributes
    attributes[Self.schemaAttribute] = ItemAttributes.schema
    try await setAttributes(attributes, of: item)
  }
}
