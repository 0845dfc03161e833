// SPDX-License-Identifier: MIT

import TokenCacheModel
import UnifiedCache

extension ADALUser {
  /// Creates the user of an item; returns `nil` when the item names none.
  init?(_ token: ADALToken) {
    guard let userID = token.userID else { return nil }
    self.userID = userID
    self.homeAccountID = token.homeAccountID
    self.objectID = token.uniqueID.map { $0.lowercased() }.flatMap {
      HomeAccountID.isGUID($0[...]) ? $0 : nil
    }
    if homeAccountID == nil, let objectID, let tenant = token.tenantID {
      let identifier = HomeAccountID("\(objectID).\(tenant)")
      if identifier.isAzureAD { possibleHomeAccountID = identifier.compared }
    }
  }

  /// Whether the user and an MSAL account are the same.
  ///
  /// Compares the account IDs when both are known. Otherwise compares the user name, then the object ID with those
  /// of the account's tenant profiles and with the account ID that it has in its home tenant.
  func isSame(as account: Account) -> Bool {
    if let homeAccountID, !account.identifier.isEmpty {
      return HomeAccountID(homeAccountID).compared == HomeAccountID(account.identifier).compared
    }
    return Username(userID).compared == Username(account.username).compared
      || objectID != nil && account.tenantProfiles.contains { $0.identifier.lowercased() == objectID }
      || possibleHomeAccountID != nil && possibleHomeAccountID == HomeAccountID(account.identifier).compared
  }
}
