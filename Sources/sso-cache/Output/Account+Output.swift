// SPDX-License-Identifier: MIT

import SecretStoreCache

extension Account {
  /// The account as the tool's JSON shows it.
  var json: JSONValue {
    .object([
      "identifier": .string(identifier),
      "username": .string(username),
      "environment": .string(environment),
      "clients": .array(clients.map(JSONValue.string)),
      "tenants": .array(tenants.map(JSONValue.string)),
    ])
  }

  /// The account as a line of a question or a message shows it.
  var spoken: String { username.isEmpty ? identifier : username }
}
