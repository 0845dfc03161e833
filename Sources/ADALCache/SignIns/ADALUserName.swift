// SPDX-License-Identifier: MIT

import TokenCacheModel
import UnifiedCache

/// A name under which ADAL's users and MSAL's accounts are looked up, in the form in which it is compared.
///
/// ``ADALUser/isSame(as:)`` says which names must be equal.
enum ADALUserName: Hashable {
  case identifier(String)
  case user(String)
  /// A user name under which the group holds the account, beside the one that lists show.
  case otherUser(String)
  case object(String)

  /// Creates the name of an account's identifier; `nil` when it is not known.
  init?(identifier: String?) {
    guard let identifier, !identifier.isEmpty else { return nil }
    self = .identifier(HomeAccountID(identifier).compared)
  }
}

extension ADALUser {
  /// The names by which the user is one of an account without an identifier, the most reliable one first.
  var names: [ADALUserName] {
    let object = objectID.map { [ADALUserName.object($0)] } ?? []
    return object + [.user(Username(userID).compared)]
  }

  /// The names by which the user is one of an account with an identifier, the most reliable one first.
  var namesOfIdentified: [ADALUserName] {
    guard let identifier = ADALUserName(identifier: accountID) else { return names }
    let object = homeAccountID == nil ? objectID.map { [ADALUserName.object($0)] } ?? [] : []
    return [identifier] + object
  }
}

extension Account {
  /// The names of the account in lists other than the identifier, with its object ID in each tenant.
  var adalNames: Set<ADALUserName> {
    var names: Set<ADALUserName> = [.user(Username(username).compared)]
    names.formUnion(tenantProfiles.map { .object($0.identifier.lowercased()) })
    return names
  }
}
