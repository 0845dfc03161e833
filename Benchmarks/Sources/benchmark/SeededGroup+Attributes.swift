// SPDX-License-Identifier: MIT

/// The arguments of the `floor` program that identify items of the group.
extension SeededGroup {
  /// The document of the measured account.
  var document: [String] {
    item([
      "kind": "credentials", "home_account_id": identifier, "environment": "login.windows.net",
      "client_id": Self.clientID,
    ])
  }

  /// The family token of the measured account.
  var familyToken: [String] {
    item([
      "kind": "family", "home_account_id": identifier, "environment": "login.windows.net",
      "family_id": Self.family,
    ])
  }

  /// The marker of the group.
  var marker: [String] { item(["kind": "group"]) }

  /// The documents of all accounts.
  var documents: [String] { search(["kind": "credentials"]) }

  /// Returns the arguments for one item.
  ///
  /// An item has all attributes; those that do not apply are empty.
  private func item(_ values: [String: String]) -> [String] {
    let names = ["home_account_id", "environment", "client_id", "family_id", "key"]
    let empty = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
    return search(empty.merging(values) { $1 })
  }

  private func search(_ values: [String: String]) -> [String] {
    values.merging(["publisher": "", "group": name]) { $1 }.map { "\($0.key)=\($0.value)" }.sorted()
  }
}
