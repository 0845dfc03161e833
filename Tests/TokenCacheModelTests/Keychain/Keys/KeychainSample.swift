// SPDX-License-Identifier: MIT

import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Keys of entries of one account, `uid.utid` at `login.microsoftonline.com`, and one client, `client`.
enum KeychainSample {
  static let account = "uid.utid-login.microsoftonline.com"

  /// A credential of the tenant `contoso.com` and the scopes `user.read user.write`, as far as its kind has
  /// them.
  static func credential(_ kind: CredentialKind, _ changes: JSONObject = [:]) throws -> CredentialEntry {
    var members: JSONObject = ["environment": "login.microsoftonline.com"]
    if kind.section != .refreshToken { members["realm"] = "contoso.com" }
    if kind.isAccessToken { members["target"] = "user.read user.write" }
    for (name, value) in changes { members[name] = value }
    return try #require(EntryBuilder.credential(kind, changing: members))
  }

  static func key(_ kind: CredentialKind, _ changes: JSONObject = [:]) throws -> KeychainItemKey {
    KeychainItemKey(of: try credential(kind, changes))
  }

  static func attributes(_ kind: CredentialKind, _ changes: JSONObject = [:]) throws -> KeychainAttributes {
    KeychainAttributes(try key(kind, changes))
  }
}
