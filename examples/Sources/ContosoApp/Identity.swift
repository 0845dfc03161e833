// SPDX-License-Identifier: MIT

import ContosoIdentity
import Foundation
import SecretStoreCache

/// The functions that an app uses of its identity library, with either MSAL or ADAL.
protocol Identity: Sendable {
  /// Signs a user in with the browser and returns the user name.
  func signIn() async throws -> String

  /// Acquires a token silently.
  ///
  /// - Parameter username: The user name; `nil` for the only signed-in user.
  func read(username: String?) async throws -> Reading

  /// Returns the user names of the signed-in accounts.
  func usernames() async throws -> [String]

  /// Signs this app out and returns the user name, or `nil` when nobody is signed in.
  func signOut(username: String?) async throws -> String?
}

/// The result of a token request, without the token itself.
struct Reading: Sendable {
  let username: String
  let source: TokenResult.Source
  let expiresOn: Date
  let saveError: SecretStoreError?
}
