// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The calls that the README shows to authors of identity libraries, compiled.
///
/// The text between the markers is compared with the README.
struct IdentityLibraryCalls {
  let backend: any TokenCacheBackend
  let app: AppEntitlements
  let clientID: String
  let authority: Authority
  let http: any HTTPClient

  func run(_ response: [UInt8], _ scopes: Scopes) async throws -> String {
    // begin
    let cache = TokenCache(
      backend: backend, app: app, clientID: clientID, authority: authority,
      endpoint: Endpoint(http: http))
    let signedIn = try await cache.acquireToken(from: TokenResponse(parsing: response), scopes: scopes)
    let result = try await cache.acquireTokenSilent(scopes: scopes, account: signedIn.account)
    try await cache.signOut(signedIn.account)
    // end
    return result.accessToken
  }
}
