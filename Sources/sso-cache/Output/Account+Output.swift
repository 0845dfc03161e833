// SPDX-License-Identifier: MIT

import SecretStoreCache
import StrictJSON

extension Account {
  /// The account in the tool's JSON output.
  var json: JSONValue {
    var members: JSONObject = [
      "identifier": .string(identifier),
      "username": .string(username),
      "environment": .string(environment),
      "clients": .array(clients.map(JSONValue.string)),
      "tenants": .array(tenants.map(JSONValue.string)),
    ]
    if isFromBroker { members["broker"] = true }
    return .object(members)
  }

  /// The account's name in questions and messages.
  var displayText: String { Printer.printable(username.isEmpty ? identifier : username) }
}
