// SPDX-License-Identifier: MIT

import Foundation

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

/// A group as the checks observe it, without a Secret Service.
struct GroupSample {
  static let own = ObjectPath("/org/freedesktop/secrets/collection/own")
  static let other = ObjectPath("/org/freedesktop/secrets/collection/other")
  static let login = ObjectPath("/org/freedesktop/secrets/collection/login")

  let group: AccessGroup
  private(set) var inventory: GroupInventory

  init() throws {
    group = try AccessGroup("com.contoso.shared")
    inventory = GroupInventory(group: group)
    inventory.common = [Self.login]
    inventory.login = Self.login
  }

  static func credentials(_ client: String = "c") -> RecordKey {
    .credentials(homeAccountID: "ada", environment: "id.contoso.com", clientID: client)
  }

  /// A document of a record, with these credentials or this ADAL item.
  static func document(
    _ key: RecordKey, revision: Int = 1, _ credentials: [[String: String]] = [], adal: [String: String]? = nil
  ) throws -> [UInt8] {
    var sections: [String: Any] = [:]
    sections["ADAL"] = adal
    for credential in credentials {
      let kind = credential["credential_type"] ?? ""
      sections[kind] = [kind: credential]
    }
    sections["SecretStoreCache"] = [
      "revision": revision,
      "record": [
        "kind": key.kind.rawValue, "account": key.account, "environment": key.environment,
        "client_id": key.clientID, "family_id": key.familyID, "key": key.key,
      ],
    ]
    return Array(try JSONSerialization.data(withJSONObject: sections))
  }

  static func credential(_ kind: String, expiresOn: Int? = nil) -> [String: String] {
    var fields = [
      "credential_type": kind, "home_account_id": "ada", "environment": "id.contoso.com", "client_id": "c",
      "secret": "s3cr3t",
    ]
    fields["expires_on"] = expiresOn.map(String.init)
    return fields
  }

  /// Adds an item whose path sorts after the earlier ones.
  @discardableResult
  mutating func add(
    _ key: RecordKey, _ bytes: [UInt8]?, in collection: ObjectPath = own, keyring: String? = nil
  ) -> ObjectPath {
    var attributes = ItemAttributes.all(key, in: group)
    attributes[ItemAttributes.keyring] = keyring
    let path = ObjectPath("\(collection)/\(inventory.items.count)") ?? .none
    inventory.items.append(
      GroupInventory.Item(path: path, attributes: attributes, bytes: bytes.map { Secret($0) }))
    return path
  }

  mutating func mark(
    _ collection: ObjectPath = own, _ placement: GroupPlacement = .dedicated, content: [UInt8]? = nil
  ) {
    let marker = GroupMarker(group: group, placement: placement).serialized()
    add(RecordKey(kind: .group), content ?? Array(marker.data), in: collection)
    inventory.location = GroupLocation(collection: collection, placement: placement)
  }

  mutating func forgetLocation() { inventory.location = nil }

  mutating func prove(_ collection: ObjectPath) { inventory.proven.append(collection) }

  mutating func mix(_ collection: ObjectPath, _ label: String) { inventory.mixed[collection] = label }

  mutating func addNamesake(_ collection: ObjectPath) { inventory.namesakes.append(collection) }

  mutating func addLeftover(_ collection: ObjectPath) { inventory.leftovers.append(collection) }

  mutating func addUnproven(_ keyring: UnprovenKeyring) { inventory.unproven.append(keyring) }

  mutating func restore(_ password: ObjectPath, _ collection: ObjectPath) {
    inventory.restoredPasswords[password] = collection
  }

  mutating func remember(_ collection: ObjectPath) { inventory.remembered.insert(collection) }
}
