// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// The account metadata in a client's document; each account's own document keeps the sign-in state.
extension DocumentMetadata {
  private static let member = "account_metadata"
  private static let principals = "principals"

  /// The client's account metadata without sign-in states and principal account; `nil` when none was saved.
  var accountMetadata: JSONObject? {
    get {
      var stored = fields[Self.member]?.objectValue
      stored?[Self.principals] = nil
      return stored?.isEmpty == true ? nil : stored
    }
    set {
      let principals = fields[Self.member]?.objectValue?[Self.principals]
      var stored = newValue ?? [:]
      stored[Self.principals] = principals
      fields[Self.member] = stored.isEmpty ? nil : .object(stored)
    }
  }

  /// The principal account of an app: that of ``subscript(currentAccountOf:)`` with its other saved members.
  subscript(principalOf app: AppIdentifier) -> KeychainPrincipalAccount? {
    get {
      guard let identifier = self[currentAccountOf: app] else { return nil }
      let stored = principals[app.name]?.objectValue.flatMap { KeychainPrincipalAccount($0) }
      guard let stored,
        HomeAccountID(stored.homeAccountID).compared == HomeAccountID(identifier).compared
      else { return KeychainPrincipalAccount(homeAccountID: identifier) }
      return stored
    }
    set {
      if self[principalOf: app] == newValue { return }
      self[currentAccountOf: app] = newValue?.homeAccountID
      var members: JSONObject = [:]
      members["principal_home_account_id"] = newValue.map { .string($0.homeAccountID) }
      members["principal_username"] = newValue?.username.map(JSONValue.string)
      members["principal_account_environment"] = newValue?.environment.map(JSONValue.string)
      var principals = principals
      principals[app.name] = members.isEmpty ? nil : .object(members)
      var stored = fields[Self.member]?.objectValue ?? [:]
      stored[Self.principals] = principals.isEmpty ? nil : .object(principals)
      fields[Self.member] = stored.isEmpty ? nil : .object(stored)
    }
  }

  private var principals: JSONObject {
    fields[Self.member]?.objectValue?[Self.principals]?.objectValue ?? [:]
  }
}
