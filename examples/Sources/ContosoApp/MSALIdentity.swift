// SPDX-License-Identifier: MIT

import ContosoIdentity
import SecretStoreCache

/// The identity of an app that is built with MSAL, which uses accounts and scopes.
struct MSALIdentity: Identity {
  let client: PublicClient
  let scopes: Scopes

  func signIn() async throws -> String { try await client.signIn(scopes: scopes).account.username }

  func read(username: String?) async throws -> Reading {
    guard let account = try await client.account(username: username) else {
      throw SecretStoreError(.interactionRequired, "Nobody is signed in.")
    }
    let result = try await client.acquireTokenSilent(scopes: scopes, account: account)
    return Reading(
      username: result.account.username, source: result.source, expiresOn: result.expiresOn,
      saveError: result.saveError)
  }

  func usernames() async throws -> [String] { try await client.accounts().map(\.username) }

  func signOut(username: String?) async throws -> String? {
    guard let account = try await client.account(username: username) else { return nil }
    try await client.signOut(account)
    return account.username
  }
}
