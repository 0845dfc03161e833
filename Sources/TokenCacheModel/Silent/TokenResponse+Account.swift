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
  ///
  /// An object ID is compared with object IDs. A `sub` is another one for each client: without an object ID it is
  /// compared with the `sub` of the client's own stored ID token.
  fileprivate func canBe(_ claims: IDTokenClaims) -> Bool {
    let tenant = claims.tenantID?.lowercased() ?? homeTenant
    let profiles = tenantProfiles.filter { $0.tenant.lowercased() == tenant }
    guard let objectID = claims["oid"]?.lowercased() else {
      let known = profiles.compactMap(\.claims).filter { $0["aud"] == claims["aud"] }.compactMap(\.subject)
      return claims.subject.map { known.isEmpty || known.contains($0) } ?? true
    }
    let uid = HomeAccountID(identifier).uid
    if tenant == homeTenant && objectID == uid { return true }
    // Without a stored ID token, the profile's own ID may be an object ID, a `sub`, or the ID in the home tenant.
    let known = profiles.compactMap { ($0.claims == nil ? $0.identifier : $0.claims?["oid"])?.lowercased() }
      .filter { !$0.isEmpty && $0 != claims.subject?.lowercased() && (tenant == homeTenant || $0 != uid) }
    return known.contains(objectID) || known.isEmpty && tenant != homeTenant
  }
}
