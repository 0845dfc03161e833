// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Keeps the refresh token of a response in ADAL's format, too, for apps that can't read MSAL's.
///
/// MSAL for macOS redeems the refresh token once more for an id token of version 1, which ADAL of Apple's systems takes
/// the user from. Here an item names its user itself, so that any id token will do.
struct ADALSeed: Sendable {
  let cache: TokenCache

  /// Seeds the format where ADAL would find no refresh token of the client and user yet.
  ///
  /// What fails is not worth failing a sign-in for: the next response tries again. Personal accounts are not for ADAL.
  ///
  /// - Parameter authority: The authority that was asked for, under which ADAL's apps will look.
  func plant(_ response: TokenResponse, _ context: ResponseContext, at authority: Authority) async {
    guard cache.options.seedsADAL, authority.kind == .aad, authority.realm.lowercased() != "consumers",
      response.clientInfo?.utid.lowercased() != Authority.personalTenant,
      let user = ADALUser(response), let secret = response.refreshToken, let app = cache.app
    else { return }
    let store = ADALStore(backend: cache.backend)
    guard
      let items = try? await store.items(
        ofClient: cache.clientID, families: Set([response.familyID].compactMap(\.self)))
    else {
      return
    }
    let name = ADALTokenKey.user(user.userID)
    func isThere(_ clientID: String) -> Bool {
      items.contains { item in
        item.token.clientID.lowercased() == clientID.lowercased() && item.token.kind != nil
          && item.token.refreshToken != nil && ADALTokenKey.user(item.token.userID) == name
          && CloudEnvironment.areSame(item.token.environment, authority.environment)
          && [authority.adalTenant, "common"].contains(item.token.authorityTenant)
      }
    }
    let families = response.familyID.map { [ADALToken.familyPrefix + $0] } ?? []
    let missing = (families + [cache.clientID]).filter { !isThere($0) }
    let tokens = missing.map { clientID in
      var token = ADALToken(authority: authority.adalURL, resource: nil, clientID: clientID)
      token.take(response, of: user, at: context.now)
      token.familyID = response.familyID
      token.refreshToken = secret
      return token
    }
    try? await store.save(tokens, for: app)
  }
}
