// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// The claims about a user that the provider's userinfo endpoint returns (OpenID Connect Core 1.0 section 5.3).
///
/// They are text of the provider, for display only: they can hold any character.
public struct UserInfo: Sendable, Hashable, Decodable {
  /// The user's identifier at the provider.
  public let sub: String
  /// The user's full name.
  public let name: String?
  /// The user's address.
  public let email: String?

  /// Parses a response.
  ///
  /// - Parameter subject: The `sub` of the account's ID token. The response must have the same one (section 5.3.2).
  ///   Otherwise it could be about somebody else.
  /// - Throws: `serverError` when the response is malformed or about another user.
  init(parsing body: [UInt8], subject: String) throws(SecretStoreError) {
    guard let info = try? JSONDecoder().decode(UserInfo.self, from: Data(body)) else {
      throw SecretStoreError(.serverError, "The response to userinfo is malformed.")
    }
    guard info.sub == subject else {
      throw SecretStoreError(.serverError, "The response to userinfo is about another user.")
    }
    self = info
  }
}
