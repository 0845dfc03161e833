// SPDX-License-Identifier: MIT

public import StrictJSON

/// An account in one tenant, as a unified cache stores it, with all of its members.
///
/// Its description shows no content, because user names are personal data.
public struct AccountEntry: Sendable, Hashable {
  /// All members, as they are stored.
  public package(set) var fields: JSONObject

  package var origin = KeyOrigin()

  /// Creates an entry from its identifying members.
  package init(homeAccountID: String, environment: String, realm: String) {
    self.fields = [
      "home_account_id": .string(homeAccountID),
      "environment": .string(environment),
      "realm": .string(realm),
    ]
  }

  /// Creates an entry from what a credential says about its account.
  ///
  /// An ID token also holds the user's names.
  package init(of credential: CredentialEntry, environment: String) {
    let home = HomeAccountID(credential.homeAccountID)
    self.init(
      homeAccountID: credential.homeAccountID, environment: environment,
      realm: credential.realm ?? (home.isAzureAD(at: environment) ? home.tenant : nil) ?? "")
    fields["authority_type"] = "MSSTS"
    guard credential.kind.section == .idToken, let claims = try? IDTokenClaims(token: credential.secret)
    else { return }
    fields["username"] = claims.username.map(JSONValue.string)
    fields["name"] = claims["name"].map(JSONValue.string)
  }

  /// Reads a stored entry.
  ///
  /// The result is `nil` when the account or the environment is missing, or an identifier holds a control character.
  package init?(_ value: JSONValue, named key: String? = nil) {
    guard let fields = value.objectValue else { return nil }
    self.fields = fields
    if homeAccountID.isEmpty || environment.isEmpty { return nil }
    if IdentifyingMembers.account.unsafe(in: fields) != nil { return nil }
    origin = KeyOrigin(key, at: environment)
  }

  /// Returns a member by its name, or `nil` when it is not a non-empty string.
  public subscript(name: String) -> String? {
    guard let text = fields[name]?.stringValue, !text.isEmpty else { return nil }
    return text
  }

  /// The account's identifier, `uid.utid` in Azure AD.
  public var homeAccountID: String { self["home_account_id"] ?? "" }
  /// The host that the entry was written under, or the account's ``Issuer``.
  public var environment: String { self["environment"] ?? "" }
  /// The tenant.
  public var realm: String { self["realm"] ?? "" }
  /// The user name for display, empty when the provider did not send one.
  public var username: String { self["username"] ?? "" }
  /// The account's ID in this tenant.
  public var localAccountID: String? { self["local_account_id"] }

  /// Whether the account's last sign-in was through an identity broker, as MSAL for Python and .NET store it.
  package var isFromBroker: Bool { self["account_source"] == "broker" }

  /// The key to write the entry under.
  package var key: String { "\(homeAccountID)-\(environment)-\(realm)".lowercased() }

  /// The identity of an account in a tenant.
  ///
  /// Entries with equal identities are the same account.
  package struct Identity: Hashable {
    let account: String
    let environment: String
    let realm: String
  }

  package var identity: Identity {
    Identity(
      account: HomeAccountID(homeAccountID).compared, environment: CloudEnvironment.canonical(environment),
      realm: comparedRealm)
  }

  /// Returns whether two entries are the same account in the same tenant.
  package func isSame(as other: AccountEntry) -> Bool { identity == other.identity }

  /// The tenant as it is compared.
  ///
  /// With an issuer as the environment it is empty, whatever other MSALs store as the realm.
  package var comparedRealm: String { Issuer.canonical(environment) == nil ? realm.lowercased() : "" }

  /// Returns this entry merged over an older one.
  ///
  /// Members that only the older entry has are kept.
  package func merged(over older: AccountEntry) -> AccountEntry {
    var result = older
    for (name, value) in fields { result.fields[name] = value }
    return result
  }
}

extension AccountEntry: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without any content.
  public var description: String { "AccountEntry(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
