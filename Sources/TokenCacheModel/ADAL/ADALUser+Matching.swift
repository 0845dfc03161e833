// SPDX-License-Identifier: MIT

extension ADALUser {
  /// Whose an item is; `nil` for one that names nobody.
  init?(_ token: ADALToken) {
    guard let userID = token.userID else { return nil }
    self.userID = userID
    self.homeAccountID = token.homeAccountID
    self.objectID = token.uniqueID.map { $0.lowercased() }.flatMap { RecordKey.isGUID($0[...]) ? $0 : nil }
  }

  /// Whether the user is an account of MSAL's: by its id where both know it, else by its name or its object id in a
  /// tenant.
  func isSame(as account: Account) -> Bool {
    if let homeAccountID, !account.identifier.isEmpty {
      return RecordKey.comparedAccount(homeAccountID) == RecordKey.comparedAccount(account.identifier)
    }
    return ADALTokenKey.user(userID) == ADALTokenKey.user(account.username)
      || objectID != nil && account.tenantProfiles.contains { $0.identifier.lowercased() == objectID }
  }
}
