// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension TokenResponse {
  /// Returns whether the response is for an account.
  ///
  /// An ID token of another issuer is compared, too: if it names another person, the tokens may be that person's.
  /// An older library's account without an identifier is matched by its user name or its object ID.
  ///
  /// - Throws: `missingClientInfo` or `invalidResponse` when the response does not name its account.
  func isFor(
    _ account: Account, _ context: ResponseContext, _ legacy: (any LegacySignIns)?
  ) throws(SecretStoreError) -> Bool {
    if account.identifier.isEmpty {
      let names = [claims?.username, legacy?.username(in: self)].compactMap { $0.map(Username.init) }
      let objectID = claims?.localAccountID?.lowercased()
      return names.isEmpty || names.contains(Username(account.username))
        || objectID != nil && account.tenantProfiles.contains { $0.identifier.lowercased() == objectID }
    }
    return RecordKey.storedAccount(try homeAccountID(context)) == RecordKey.storedAccount(account.identifier)
  }
}
