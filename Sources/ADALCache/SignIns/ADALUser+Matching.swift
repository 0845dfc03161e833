// SPDX-License-Identifier: MIT

import TokenCacheModel
import UnifiedCache

extension ADALUser {
  /// Creates the user of an item; returns `nil` when the item names none.
  init?(_ token: ADALToken) {
    guard let userID = token.userID else { return nil }
    self.init(token, userID: userID)
  }

  private init(_ token: ADALToken, userID: String) {
    self.userID = userID
    self.homeAccountID = token.homeAccountID
    self.objectID = token.uniqueID.map { $0.lowercased() }.flatMap {
      HomeAccountID.isGUID($0[...]) ? $0 : nil
    }
    if homeAccountID == nil { statedAccountID = token.statedAccountID }
  }

  /// Whether the user and an MSAL account are the same.
  ///
  /// Compares the account IDs when both are known. Two people can have one user name, so it is compared only where an
  /// account ID is not known. The object ID is compared with those of the account's tenant profiles.
  func isSame(as account: Account) -> Bool {
    isSame(asIdentifiedBy: account)
      ?? (account.isIdentified(by: Username(userID)) || hasObjectID(of: account))
  }

  /// Returns whether an item belongs to an MSAL account, also one that names its user by IDs only.
  static func owns(_ token: ADALToken, _ account: Account) -> Bool {
    if let user = ADALUser(token) { return user.isSame(as: account) }
    let unnamed = ADALUser(token, userID: "")
    return unnamed.isSame(asIdentifiedBy: account) ?? unnamed.hasObjectID(of: account)
  }

  /// Returns whether the account IDs, or else the object IDs, are the same; `nil` when an account ID is not known.
  private func isSame(asIdentifiedBy account: Account) -> Bool? {
    guard let accountID, !account.identifier.isEmpty else { return nil }
    return HomeAccountID(accountID).compared == HomeAccountID(account.identifier).compared
      || homeAccountID == nil && hasObjectID(of: account)
  }

  private func hasObjectID(of account: Account) -> Bool {
    objectID != nil && account.tenantProfiles.contains { $0.identifier.lowercased() == objectID }
  }
}
