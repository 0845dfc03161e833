// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

extension TokenResponse {
  /// Returns whether the response is for an account.
  ///
  /// An ID token of another issuer is compared, too: if it names another person, the tokens may be that person's. At
  /// Azure AD without `client_info`, the ID token may name no other person than the account is in that tenant.
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
    if clientInfo == nil, let claims, [.aad, .b2c].contains(context.authority.kind) {
      return account.canBe(claims)
    }
    return RecordKey.storedAccount(try homeAccountID(context)) == RecordKey.storedAccount(account.identifier)
  }
}

extension Account {
  /// Returns whether an Azure AD ID token can be the account's, as far as its IDs in the token's tenant are known.
  fileprivate func canBe(_ claims: IDTokenClaims) -> Bool {
    let tenant = claims.tenantID?.lowercased() ?? homeTenant
    var known = tenantProfiles.filter { $0.tenant.lowercased() == tenant }.map(\.identifier)
    if tenant == homeTenant, let uid = identifier.split(separator: ".").first {
      // A B2C policy follows the ID.
      known.append(String(uid.prefix(36)))
    }
    guard let objectID = claims.localAccountID?.lowercased() else { return true }
    let compared = known.filter { !$0.isEmpty }.map { $0.lowercased() }
    return compared.isEmpty || compared.contains(objectID)
  }
}
