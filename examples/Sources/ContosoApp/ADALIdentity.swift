// SPDX-License-Identifier: MIT

import ADALCache
import ContosoIdentity
import SecretStoreCache

/// The identity of an app that is still built with ADAL, which uses user ids and a resource.
struct ADALIdentity: Identity {
  let client: ADALClient
  let resource: String

  func signIn() async throws -> String { try await client.signIn(resource: resource).user?.userID ?? "" }

  func read(username: String?) async throws -> Reading {
    let result = try await client.acquireTokenSilent(resource: resource, userID: username)
    return Reading(
      username: result.user?.userID ?? "", source: result.source, expiresOn: result.expiresOn,
      saveError: result.saveError)
  }

  func usernames() async throws -> [String] { try await client.users().map(\.userID) }

  func signOut(username: String?) async throws -> String? {
    let users = try await client.users().map(\.userID)
    guard let user = username ?? users.first else { return nil }
    if username == nil && users.count > 1 {
      throw SecretStoreError(.ambiguousAccount, "Several people are signed in.")
    }
    try await client.signOut(userID: user)
    return user
  }
}
