// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// The account that both processes use.
///
/// Its access token is a number.
struct HammeredAccount {
  static let scopes: Scopes = ["mail.read"]
  private static let uid = "9f4880d8-80ba-4c40-97bc-f7a23c703084"
  private static let utid = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"

  let cache: TokenCache

  init(group: String, cachesRecords: Bool, timeout: Duration) throws {
    var options = SecretStoreOptions()
    options.cachesRecords = cachesRecords
    options.timeout = timeout
    cache = try SecretStore(options: options).tokenCache(
      for: try AppEntitlements(app: "com.contoso.hammer", groups: [group]), group: group, clientID: "hammer",
      authority: try Authority("https://login.microsoftonline.com/common"))
  }

  func save(_ number: UInt64) async throws {
    let members: [String: Any] = [
      "token_type": "Bearer", "scope": Self.scopes.target, "expires_in": 86_400,
      "access_token": "\(number)", "refresh_token": "refresh-\(number)",
      "id_token": "h.\(Self.base64URL(["oid": Self.uid, "tid": Self.utid, "preferred_username": "ada"])).s",
      "client_info": Self.base64URL(["uid": Self.uid, "utid": Self.utid]),
    ]
    let response = try TokenResponse(parsing: Array(JSONSerialization.data(withJSONObject: members)))
    try await cache.save(response, scopes: Self.scopes)
  }

  func account() async throws -> Account {
    guard let account = try await cache.account(identifier: "\(Self.uid).\(Self.utid)") else {
      throw HammerError("The account is not there.")
    }
    return account
  }

  /// Returns the number of the newest save according to a silent call.
  func number(of account: Account) async throws -> UInt64 {
    let result = try await cache.acquireTokenSilent(scopes: Self.scopes, account: account)
    guard let number = UInt64(result.accessToken) else { throw HammerError("The token is no number.") }
    return number
  }

  private static func base64URL(_ object: [String: String]) -> String {
    ((try? JSONEncoder().encode(object)) ?? Data()).base64EncodedString()
      .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
  }
}
