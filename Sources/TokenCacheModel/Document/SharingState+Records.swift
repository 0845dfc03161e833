// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// What a document says of itself, of its tenants and of single-account apps.
extension SharingState {
  /// Which record the document was written as; `nil` for one that a stranger wrote.
  ///
  /// It is compared with where the document was found, so that a secret that was moved under another record's
  /// attributes is not taken for it.
  public internal(set) var record: RecordKey? {
    get {
      guard let stored = fields["record"]?.objectValue,
        let kind = stored["kind"]?.stringValue.flatMap(RecordKind.init)
      else { return nil }
      func part(_ name: String) -> String { stored[name]?.stringValue ?? "" }
      return RecordKey(
        kind: kind, account: part("account"), environment: part("environment"), clientID: part("client_id"),
        familyID: part("family_id"), key: part("key"))
    }
    set {
      guard let key = newValue else { return fields["record"] = nil }
      var stored: JSONObject = ["kind": .string(key.kind.rawValue)]
      let parts = [
        ("account", key.account), ("environment", key.environment), ("client_id", key.clientID),
        ("family_id", key.familyID), ("key", key.key),
      ]
      for (name, value) in parts where !value.isEmpty { stored[name] = .string(value) }
      fields["record"] = .object(stored)
    }
  }

  /// The tenant's id behind a domain name, as an answer to a request under that name said.
  subscript(tenantDomain domain: String) -> String? {
    get { fields["tenants"]?.objectValue?[domain.lowercased()]?.stringValue }
    set {
      var tenants = fields["tenants"]?.objectValue ?? [:]
      tenants[domain.lowercased()] = newValue.map(JSONValue.string)
      fields["tenants"] = .object(tenants)
    }
  }

  /// Remembers the user names of an account that was signed out, as digests: ADAL knows its users by name.
  mutating func rememberNames(_ names: [String]) {
    let all = Set(self.names).union(names.filter { !$0.isEmpty }.map(Self.digest(ofName:)))
    if !all.isEmpty { fields["names"] = .array(all.sorted().map(JSONValue.string)) }
  }

  /// Whether the account had a user name when it was signed out.
  func wasNamed(_ name: String) -> Bool { names.contains(Self.digest(ofName: name)) }

  /// The digests of the user names that the account had.
  var names: [String] { (fields["names"]?.arrayValue ?? []).compactMap(\.stringValue) }

  static func digest(ofName name: String) -> String { Digest.hex(ADALTokenKey.user(name)) }

  /// Whether a single-account app has asked for its account.
  var hasCurrentAccounts: Bool { fields["current_accounts"]?.objectValue?.isEmpty == false }

  /// The account that a single-account app was signed in to when it asked the last time.
  subscript(currentAccountOf app: AppIdentifier) -> String? {
    get { fields["current_accounts"]?.objectValue?[app.name]?.stringValue }
    set {
      var accounts = fields["current_accounts"]?.objectValue ?? [:]
      accounts[app.name] = newValue.map(JSONValue.string)
      fields["current_accounts"] = .object(accounts)
    }
  }

  /// The user name of that account, where it had no identifier.
  subscript(currentNameOf app: AppIdentifier) -> String? {
    get { fields["current_names"]?.objectValue?[app.name]?.stringValue }
    set {
      var names = fields["current_names"]?.objectValue ?? [:]
      if names.isEmpty && newValue == nil { return }
      names[app.name] = newValue.map(JSONValue.string)
      fields["current_names"] = .object(names)
    }
  }
}
