// SPDX-License-Identifier: MIT

import FoundationEssentials
import TokenCacheModel
import UnifiedCache

extension ADALToken {
  /// Sets the user's members from a response.
  mutating func setUser(from response: TokenResponse, of user: ADALUser?, at now: Date) {
    cachedAt = now
    userID = user?.userID
    homeAccountID = user?.homeAccountID
    idToken = response.idToken
    uniqueID = response.claims?.localAccountID
    tenantID = response.claims?.tenantID
    givenName = response.claims?["given_name"]
    familyName = response.claims?["family_name"]
    identityProvider = response.claims?["idp"] ?? response.claims?["iss"]
  }
}

extension ADALUser {
  /// Creates the user that a response names, else the user whose refresh token was redeemed.
  init?(_ response: TokenResponse, known: ADALUser? = nil) {
    guard let userID = response.claims?.adalUserID ?? known?.userID else { return nil }
    self.userID = userID
    self.homeAccountID = response.clientInfo?.homeAccountID ?? known?.homeAccountID
  }
}

extension IDTokenClaims {
  /// ADAL's user ID: a displayable name if there is one, else the subject.
  fileprivate var adalUserID: String? { self["upn"] ?? username ?? subject }
}
