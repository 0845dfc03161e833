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

  /// Returns whether an item is another program's, whatever its other attributes are.
  ///
  /// Its attributes name the schema of another program, and its content is no document that names the same record as
  /// they do. Such a document is read and written, so it is the group's.
  package static func isForeign(_ attributes: [String: String], _ content: Secret?) -> Bool {
    guard hasForeignSchema(attributes) else { return false }
    guard let key = key(attributes) else { return true }
    return content?.document?.metadata.record != key
  }

  /// Some providers keep no schema, and gnome-keyring states the generic one for an item without a schema and for a
  /// locked item.
  fileprivate static func hasForeignSchema(_ attributes: [String: String]) -> Bool {
    let stated = attributes[SecretServiceClient.schemaAttribute] ?? ""
    return !["", schema, "org.freedesktop.Secret.Generic"].contains(stated)
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
  package static func key(_ attributes: [String: String]) -> RecordKey? {
    guard let kind = attributes["kind"].flatMap(RecordKind.init) else { return nil }
    return RecordKey(
      kind: kind, account: attributes["home_account_id"] ?? "", environment: attributes["environment"] ?? "",
      clientID: attributes["client_id"] ?? "", familyID: attributes["family_id"] ?? "",
      key: attributes["key"] ?? "")
  }

  /// Returns the attributes of an item that no longer belongs to a record.
  static func retired(in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = "retired"
    for name in ["home_account_id", "environment", "client_id", "family_id", "key"] { attributes[name] = "" }
    return attributes
  }

  /// The label of an item that no longer belongs to a record.
  static let retiredLabel = "Removed"

  /// Returns the attributes that every item of a group has that was set aside.
  static func setAside(in group: AccessGroup) -> [String: String] {
    owner(group).merging(["kind": RecordKind.damaged.rawValue]) { $1 }
  }

  /// Returns the attributes that every group creation lease of a group has.
  static func creationLease(of group: AccessGroup) -> [String: String] {
    owner(group).merging(["kind": "making"]) { $1 }
  }

  package static func owner(_ group: AccessGroup) -> [String: String] {
    ["publisher": group.publisher?.name ?? "", "group": group.name]
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
  /// Returns those of the unlocked items that are other programs'.
  ///
  /// - Parameter items: The items, each with its own attributes.
  package func foreign(among items: [ObjectPath: [String: String]]) async throws -> Set<ObjectPath> {
    let suspects = items.filter { ItemAttributes.hasForeignSchema($0.value) }
    let contents = try await secrets(of: Array(suspects.keys))
    return Set(suspects.filter { ItemAttributes.isForeign($0.value, contents[$0.key]) }.keys)
  }
}

extension [String: String] {
  /// Returns whether the dictionary contains all pairs of another one.
  func contains(_ other: [String: String]) -> Bool { other.allSatisfy { self[$0.key] == $0.value } }
}
