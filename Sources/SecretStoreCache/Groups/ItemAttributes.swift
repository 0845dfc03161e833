// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The attributes of the items that the library stores: the one place that knows their names.
///
/// Every item carries all of them, empty where they don't apply: `CreateItem` with replacement overwrites an
/// item whose attributes include the given ones, so that a fixed set makes it exact. They are stored in clear by
/// some providers and hold identifiers only.
enum ItemAttributes {
  /// Written for tools that show it, and never searched by: a locked gnome-keyring collection forgets it.
  static let schema = "org.secretstorecache.Item"

  /// The attribute that the schema is written to.
  static let schemaName = "xdg:schema"

  /// The attributes that make gnome-keyring itself unlock a collection, on the item that holds its password.
  static let keyring = "keyring"

  /// All attributes of a record's item.
  static func all(_ key: RecordKey, in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = key.kind.rawValue
    attributes["home_account_id"] = key.account
    attributes["environment"] = key.environment
    attributes["client_id"] = key.clientID
    attributes["family_id"] = key.familyID
    attributes["key"] = key.key
    return attributes
  }

  /// The attributes that a query asks for.
  static func matching(_ query: RecordQuery, in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = query.kind.rawValue
    attributes["home_account_id"] = query.account
    attributes["environment"] = query.environment
    attributes["client_id"] = query.clientID
    return attributes
  }

  /// The key that an item's attributes spell, or `nil` when they are not a record's.
  static func key(_ attributes: [String: String]) -> RecordKey? {
    guard let kind = attributes["kind"].flatMap(RecordKind.init) else { return nil }
    return RecordKey(
      kind: kind, account: attributes["home_account_id"] ?? "", environment: attributes["environment"] ?? "",
      clientID: attributes["client_id"] ?? "", familyID: attributes["family_id"] ?? "",
      key: attributes["key"] ?? "")
  }

  /// The attributes of an item that is no record's any more.
  static func retired(in group: AccessGroup) -> [String: String] {
    var attributes = owner(group)
    attributes["kind"] = "retired"
    for name in ["home_account_id", "environment", "client_id", "family_id", "key"] { attributes[name] = "" }
    return attributes
  }

  /// What a person reads of such an item.
  static let retiredLabel = "Removed"

  /// The attributes that every sign of a group's being made has.
  static func making(of group: AccessGroup) -> [String: String] {
    owner(group).merging(["kind": "making"]) { $1 }
  }

  static func owner(_ group: AccessGroup) -> [String: String] {
    ["publisher": group.publisher?.name ?? "", "group": group.name]
  }

  /// What an item is for, not whose: labels are stored in clear by some providers.
  ///
  /// A client id is often a number that says nothing to a person; the host says who issued it.
  static func label(_ key: RecordKey, in group: AccessGroup) -> String {
    let place = key.environment.isEmpty ? "" : " at \(key.environment)"
    return switch key.kind {
    case .group: "Access group \(group.name)"
    case .credentials: "Sign-in for \(key.clientID)\(place)"
    case .family: "Sign-in for the app family \(key.familyID)\(place)"
    case .client: "App metadata of \(key.clientID)\(place)"
    case .groupData: "Data of the access group \(group.name)"
    case .legacy: "ADAL sign-in for \(key.clientID)\(place)"
    case .secret: "App secret"
    case .groupKey: "Password of the access group \(group.name)"
    }
  }
}

extension [String: String] {
  /// Whether all of the other pairs are among these.
  func contains(_ other: [String: String]) -> Bool { other.allSatisfy { self[$0.key] == $0.value } }
}
