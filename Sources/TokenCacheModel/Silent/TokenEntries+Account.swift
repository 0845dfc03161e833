// SPDX-License-Identifier: MIT

import UnifiedCache

extension TokenEntries {
  /// Returns whether a response is for an account.
  ///
  /// An older library's account without an identifier is matched by its user name or its object ID.
  func isOf(_ account: Account, _ response: TokenResponse, _ legacy: (any LegacySignIns)?) -> Bool {
    if account.identifier.isEmpty {
      let names = [response.claims?.username, legacy?.username(in: response)].compactMap {
        $0.map(Username.init)
      }
      let objectID = response.claims?.localAccountID?.lowercased()
      return names.isEmpty || names.contains(Username(account.username))
        || objectID != nil && account.tenantProfiles.contains { $0.identifier.lowercased() == objectID }
    }
    return RecordKey.storedAccount(homeAccountID) == RecordKey.storedAccount(account.identifier)
  }
}
