// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// An item that another program stores under the library's attributes and schema, with another Secret Service client.
enum PlantedItem {
  static func store(_ bytes: [UInt8], for key: RecordKey, in group: AccessGroup) async throws {
    let attributes = [
      "kind": key.kind.rawValue, "publisher": group.publisher?.name ?? "", "group": group.name,
      "home_account_id": key.account, "environment": key.environment, "client_id": key.clientID,
      "family_id": key.familyID, "key": key.key, "xdg:schema": "org.secretstorecache.Item",
    ]
    let json = String(decoding: try JSONSerialization.data(withJSONObject: attributes), as: UTF8.self)
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    try await ServiceSupport.python(
      """
      default_collection().create_item("planted", json.loads(sys.argv[1]), bytes.fromhex(sys.argv[2]), replace=True)
      """, json, hex)
  }
}
