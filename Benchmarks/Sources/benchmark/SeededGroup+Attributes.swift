// SPDX-License-Identifier: MIT

/// The `floor` program's arguments that name items of the group.
extension SeededGroup {
  /// The measured account's document.
  var document: [String] {
    item([
      "kind": "credentials", "home_account_id": identifier, "environment": "login.windows.net",
      "client_id": Self.clientID,
    ])
  }

  /// The measured account's family token.
  var familyToken: [String] {
    item([
      "kind": "family", "home_account_id": identifier, "environment": "login.windows.net",
      "family_id": Self.family,
    ])
  }

  /// The group's marker.
  var marker: [String] { item(["kind": "group"]) }

  /// All accounts' documents.
  var documents: [String] { search(["kind": "credentials"]) }

  /// One item has all attributes, empty where they don't apply.
  private func item(_ values: [String: String]) -> [String] {
    let names = ["home_account_id", "environment", "client_id", "family_id", "key"]
    let empty = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
    return search(empty.merging(values) { $1 })
  }

  private func search(_ values: [String: String]) -> [String] {
    values.merging(["publisher": "", "group": name]) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
  }
}
