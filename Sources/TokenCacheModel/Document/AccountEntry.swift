// SPDX-License-Identifier: MIT

/// One account in one tenant, as a unified cache keeps it, with every member that came with it.
///
/// Its description shows none of it: user names are personal data.
public struct AccountEntry: Sendable, Hashable {
  /// All members as they are stored.
  public internal(set) var fields: JSONObject

  /// Makes an entry with its identifying members.
  init(homeAccountID: String, environment: String, realm: String) {
    self.fields = [
      "home_account_id": .string(homeAccountID),
      "environment": .string(environment),
      "realm": .string(realm),
    ]
  }

  /// Makes an entry of what a credential tells of its account.
  init(of credential: CredentialEntry, environment: String) {
    let home = credential.homeAccountID.split(separator: ".").last.map(String.init) ?? ""
    let isAzures = RecordKey.isAzureID(credential.homeAccountID.lowercased())
    self.init(
      homeAccountID: credential.homeAccountID, environment: environment,
      realm: credential.realm ?? (isAzures ? home : ""))
    fields["authority_type"] = "MSSTS"
  }

  /// Reads a stored entry; `nil` when it names no account or no environment.
  init?(_ value: JSONValue) {
    guard let fields = value.objectValue else { return nil }
    self.fields = fields
    if homeAccountID.isEmpty || environment.isEmpty { return nil }
  }

  /// A member of a name, when it is a non-empty string.
  public subscript(name: String) -> String? {
    guard let text = fields[name]?.stringValue, !text.isEmpty else { return nil }
    return text
  }

  /// The account, `uid.utid` in Azure AD.
  public var homeAccountID: String { self["home_account_id"] ?? "" }
  /// The host that the entry was written under.
  public var environment: String { self["environment"] ?? "" }
  /// The tenant.
  public var realm: String { self["realm"] ?? "" }
  /// What a person knows the account by; empty when the provider did not say.
  public var username: String { self["username"] ?? "" }
  /// The account's id in this tenant.
  public var localAccountID: String? { self["local_account_id"] }

  /// The key that the entry is written under.
  var key: String { "\(homeAccountID)-\(environment)-\(realm)".lowercased() }

  /// Whether two entries are the same account in the same tenant.
  func isSame(as other: AccountEntry) -> Bool {
    CloudEnvironment.areSame(environment, other.environment)
      && RecordKey.comparedAccount(homeAccountID) == RecordKey.comparedAccount(other.homeAccountID)
      && realm.lowercased() == other.realm.lowercased()
  }

  /// This entry over an older one: what only the older one has stays.
  func merged(over older: AccountEntry) -> AccountEntry {
    var result = older
    for (name, value) in fields { result.fields[name] = value }
    return result
  }
}

extension AccountEntry: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "AccountEntry(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
