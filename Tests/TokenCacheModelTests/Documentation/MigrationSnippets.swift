// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

@testable import ADALCache

// The examples of the page MovingFromADAL, compiled. The text between the markers is compared with the page.

/// The app's existing code: a sign-in in the browser, and a store for settings.
struct AppBeforeAndAfter: Sendable {
  let signIn: @Sendable (Scopes) async throws -> TokenResponse
  let signInForResource: @Sendable (String) async throws -> TokenResponse
  let keep: @Sendable (String) -> Void

  private func signIn(resource: String) async throws -> TokenResponse {
    try await signInForResource(resource)
  }
  private func signIn(scopes: Scopes) async throws -> TokenResponse { try await signIn(scopes) }

  // begin before
  func tokenByADAL(_ cache: ADALTokenCache, userID: String) async throws -> String {
    let resource = "https://graph.windows.net"
    do {
      return try await cache.acquireTokenSilent(resource: resource, userID: userID).accessToken
    } catch SecretStoreError.Code.interactionRequired {
      return try await cache.save(signIn(resource: resource), resource: resource).accessToken
    }
  }
  // end before

  // begin after
  func tokenByMSAL(_ cache: TokenCache, userID: String) async throws -> String {
    let scopes: Scopes = ["https://graph.windows.net/.default"]
    if let account = try await cache.account(username: userID) {
      do {
        let result = try await cache.acquireTokenSilent(scopes: scopes, account: account)
        keep(result.account.identifier)  // find the account by it from now on
        return result.accessToken
      } catch SecretStoreError.Code.interactionRequired {
        // fall through: the user has to sign in
      }
    }
    let result = try await cache.acquireToken(from: signIn(scopes: scopes), scopes: scopes)
    keep(result.account.identifier)
    return result.accessToken
  }
  // end after
}

// begin blob
/// The app's former store for ADAL's cache.
protocol Vault: Sendable {
  func read() async throws -> [UInt8]
  func write(_ bytes: [UInt8]) async throws
}

struct VaultedCache: SerializedADALCacheDelegate {
  let vault: any Vault

  func willAccess(_ cache: SerializedADALCache) async throws { try await cache.load(vault.read()) }
  func willWrite(_ cache: SerializedADALCache) async throws { try await cache.load(vault.read()) }
  func didWrite(_ cache: SerializedADALCache) async throws { try await vault.write(cache.serialized()) }
}

func joined(_ group: any TokenCacheBackend, with vault: any Vault) -> any TokenCacheBackend {
  SerializedADALCache().joined(to: group, delegate: VaultedCache(vault: vault))
}
// end blob
