// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel
import UnifiedCache

/// A writer of a response's refresh token in ADAL's format too, for apps that can't read MSAL's format.
///
/// MSAL for macOS redeems the refresh token once more to get a version 1 ID token, because ADAL for iOS and macOS
/// reads the user from it. Here each item names its user, so any ID token will do.
struct ADALCacheSeeder: Sendable {
  let client: LegacyClient

  /// Stores the refresh token where ADAL would not yet find one for the client and user.
  ///
  /// Errors are ignored: they must not fail a sign-in, and the next response tries again. Personal Microsoft
  /// accounts are skipped, because ADAL does not support them.
  ///
  /// - Parameter authority: The requested authority, under which apps with ADAL look for the token.
  func seed(_ response: TokenResponse, _ context: ResponseContext, at authority: Authority) async {
    guard authority.kind == .aad, authority.realm.lowercased() != "consumers",
      response.clientInfo?.utid.lowercased() != Authority.personalTenant,
      let user = ADALUser(response), let secret = response.refreshToken, let app = client.app
    else { return }
    let store = ADALStore(backend: client.backend)
    guard
      let items = try? await store.items(
        ofClient: client.clientID, families: Set([response.familyID].compactMap(\.self)))
    else {
      return
    }
    let name = Username(user.userID).compared
    func isThere(_ clientID: String) -> Bool {
      items.contains { item in
        item.token.clientID.lowercased() == clientID.lowercased() && item.token.kind != nil
          && item.token.refreshToken != nil && Username(item.token.userID).compared == name
          && CloudEnvironment.areSame(item.token.host, authority.storageEnvironment)
          && [authority.adalTenant, "common"].contains(item.token.authorityTenant)
      }
    }
    let families = response.familyID.map { [ADALToken.familyPrefix + $0] } ?? []
    let missing = (families + [client.clientID]).filter { !isThere($0) }
    let tokens = missing.map { clientID in
      var token = ADALToken(authority: authority.adalURL, resource: nil, clientID: clientID)
      token.setUser(from: response, of: user, at: context.now)
      token.familyID = response.familyID
      token.refreshToken = secret
      return token
    }
    try? await store.save(tokens, for: app)
  }
}
