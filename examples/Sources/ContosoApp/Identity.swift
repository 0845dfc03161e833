// SPDX-License-Identifier: MIT

import ContosoIdentity
import Foundation
import SecretStoreCache

/// What an app wants of its identity library, whichever it is built with.
protocol Identity: Sendable {
  /// Signs somebody in with the browser; returns the user name.
  func signIn() async throws -> String

  /// Gets a token silently.
  ///
  /// - Parameter username: Whose; `nil` for the only person who is signed in.
  func read(username: String?) async throws -> Reading

  /// The user names of those who are signed in.
  func usernames() async throws -> [String]

  /// Signs this app out; returns the user name, or `nil` when nobody is signed in.
  func signOut(username: String?) async throws -> String?
}

/// A token, without the token.
struct Reading: Sendable {
  let username: String
  let source: TokenResult.Source
  let expiresOn: Date
  let saveError: SecretStoreError?
}
