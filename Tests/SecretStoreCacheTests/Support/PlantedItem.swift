// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// An item that another program stores under the library's attributes and schema, with another Secret Service client.
enum PlantedItem {
  /// Stores an item in the login collection, or in that of the group, which it creates where there is none.
  static func store(
    _ bytes: [UInt8], for key: RecordKey, in group: AccessGroup, inLogin: Bool = false
  ) async throws {
    let attributes = [
      "kind": key.kind.rawValue, "publisher": group.publisher?.name ?? "", "group": group.name,
      "home_account_id": key.account, "environment": key.environment, "client_id": key.clientID,
      "family_id": key.familyID, "key": key.key, "xdg:schema": "org.secretstorecache.Item",
    ]
    let json = String(decoding: try JSONSerialization.data(withJSONObject: attributes), as: UTF8.self)
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    if !inLogin { try await ServiceSupport.store().createGroup(group) }
    try await ServiceSupport.python(
      """
      attributes = json.loads(sys.argv[1])
      if sys.argv[3] == "true":
          place = secretstorage.get_collection_by_alias(connection, "login")
      else:
          marker = items(kind="group", group=attributes["group"], publisher=attributes["publisher"])[0]
          place = secretstorage.Collection(connection, marker.item_path.rpartition("/")[0])
      place.create_item("planted", attributes, bytes.fromhex(sys.argv[2]), replace=True)
      """, json, hex, "\(inLogin)")
  }
}
