// SPDX-License-Identifier: MIT

package import KeychainGroupModel
import StrictJSON

/// The metadata about the record, its tenants and single-account apps.
extension DocumentMetadata {
  /// The record that the document was written as.
  ///
  /// It is `nil` when another program wrote the document, or an identifier holds a control character. It is compared
  /// with the attributes under which the document was found, so that a document moved to another record is detected.
  /// It is the canonical key of what the document says, so that one record doesn't become two by its spelling.
  public package(set) var record: RecordKey? {
    get {
      guard let stored = fields["record"]?.objectValue,
        let kind = stored["kind"]?.stringValue.flatMap(RecordKind.init)
      else { return nil }
      func part(_ name: String) -> String { stored[name]?.stringValue ?? "" }
      let key = RecordKey(
        kind: kind, account: part("account"), environment: part("environment"), clientID: part("client_id"),
        familyID: part("family_id"), key: part("key"))
      return key.isValid ? key.canonical : nil
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

  /// The tenant ID behind a domain name, as a response to a request with that domain gave it.
  package subscript(tenantDomain domain: String) -> String? {
    get { fields["tenants"]?.objectValue?[domain.lowercased()]?.stringValue }
    set {
      var tenants = fields["tenants"]?.objectValue ?? [:]
      tenants[domain.lowercased()] = newValue.map(JSONValue.string)
      fields["tenants"] = .object(tenants)
    }
  }

  /// Stores digests of the user names of a signed-out account, because ADAL identifies users by name.
  package mutating func rememberNames(_ names: [String]) {
    let all = Set(self.names).union(names.filter { !$0.isEmpty }.map(Self.digest(ofName:)))
    if !all.isEmpty { fields["names"] = .array(all.sorted().map(JSONValue.string)) }
  }

  /// The digests of the account's user names.
  package var names: [String] { (fields["names"]?.arrayValue ?? []).compactMap(\.stringValue) }

  package static func digest(ofName name: String) -> String { Digest.hex(Username(name).compared) }

  /// Whether a single-account app has requested its current account.
  package var hasCurrentAccounts: Bool { fields["current_accounts"]?.objectValue?.isEmpty == false }

  /// The account to which a single-account app was signed in at its latest request for the current account.
  package subscript(currentAccountOf app: AppIdentifier) -> String? {
    get { fields["current_accounts"]?.objectValue?[app.name]?.stringValue }
    set {
      var accounts = fields["current_accounts"]?.objectValue ?? [:]
      accounts[app.name] = newValue.map(JSONValue.string)
      fields["current_accounts"] = .object(accounts)
    }
  }

  /// The user name of that account, if it had no identifier.
  package subscript(currentNameOf app: AppIdentifier) -> String? {
    get { fields["current_names"]?.objectValue?[app.name]?.stringValue }
    set {
      var names = fields["current_names"]?.objectValue ?? [:]
      if names.isEmpty && newValue == nil { return }
      names[app.name] = newValue.map(JSONValue.string)
      fields["current_names"] = .object(names)
    }
  }
}
