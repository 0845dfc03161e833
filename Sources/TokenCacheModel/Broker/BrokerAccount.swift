// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// An account of the identity broker.
package struct BrokerAccount: Sendable {
  /// The largest number of accounts in a reply.
  static let maximumCount = 1_000

  /// The members as the broker sent them; a request for the account repeats them.
  let members: JSONObject
  /// The account, marked as the broker's.
  package let account: Account

  /// Reads a member of the broker's list.
  ///
  /// - Throws: A malformed reply's error when it lacks a home account ID, an environment or a user name, a member has
  ///   the wrong type, or an identifier holds a control character.
  init(_ value: JSONValue) throws(SecretStoreError.BrokerError) {
    guard let members = value.objectValue else { throw .malformed("has an account that is no object") }
    func text(_ name: String) throws(SecretStoreError.BrokerError) -> String {
      switch members[name] {
      case nil, .null?: return ""
      case .string(let text)?: return text
      default: throw .malformed("has an account whose \(name) is no text")
      }
    }
    func identifier(_ name: String) throws(SecretStoreError.BrokerError) -> String {
      let text = try text(name)
      if text.hasUnsafeCharacter {
        throw .malformed("has an account whose \(name) holds a control character or too many combining marks")
      }
      return text
    }
    let homeAccountID = try identifier("homeAccountId")
    let environment = try identifier("environment")
    let (realm, localAccountID) = (try identifier("realm"), try identifier("localAccountId"))
    let (username, name) = (try text("username"), try text("name"))
    for (name, text) in [
      ("homeAccountId", homeAccountID), ("environment", environment), ("username", username),
    ]
    where text.allSatisfy(\.isWhitespace) { throw .malformed("has an account without \(name)") }
    guard let home = HomeAccountID(homeAccountID).tenant else {
      throw .malformed("has an account whose homeAccountId is not of the form uid.utid")
    }
    let profile = TenantProfile(
      identifier: localAccountID, tenant: realm,
      isHome: home == realm.lowercased(),
      username: username, name: name.isEmpty ? nil : name, idToken: nil)
    self.members = members
    account = Account(
      identifier: homeAccountID, username: username,
      storageEnvironment: CloudEnvironment.canonical(environment),
      name: name.isEmpty ? nil : name, clients: [], tenantProfiles: realm.isEmpty ? [] : [profile],
      isFromBroker: true)
  }
}

extension BrokerAccount: CustomStringConvertible, CustomReflectable {
  /// The description of the account, without names.
  package var description: String { "BrokerAccount(\(account))" }

  /// An empty mirror.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
