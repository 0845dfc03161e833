// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// Token responses of a made-up Azure AD tenant, with tokens of the usual sizes: 1.2 to 1.7 kB each.
enum SampleResponse {
  static let scopes: Scopes = ["mail.read"]
  private static let tenant = "7a1e6a10-54c2-4b1b-8d39-3f0f1f6c9a55"
  private static let accessTokenBytes = 1_500
  private static let refreshTokenBytes = 1_200

  /// The home account id of the account of a number.
  static func identifier(account number: Int) -> String { "\(uid(number)).\(tenant)" }

  /// The answer of a token endpoint; two versions have different tokens of the same size.
  static func make(account number: Int, version: Int, family: String? = nil) throws -> TokenResponse {
    let claims: [String: String] = [
      "oid": uid(number), "tid": tenant, "sub": "subject-\(number)", "name": "User \(number)",
      "preferred_username": "user\(number)@contoso.com",
      "iss": "https://login.microsoftonline.com/\(tenant)/v2.0",
      "padding": String(repeating: "p", count: 700),
    ]
    var members: [String: Any] = [
      "token_type": "Bearer", "scope": scopes.target, "expires_in": 3600,
      "access_token": token("at", number, version, accessTokenBytes),
      "refresh_token": token("rt", number, version, refreshTokenBytes),
      "id_token": "header.\(try base64URL(claims)).\(String(repeating: "s", count: 340))",
      "client_info": try base64URL(["uid": uid(number), "utid": tenant]),
    ]
    members["foci"] = family
    return try TokenResponse(parsing: Array(JSONSerialization.data(withJSONObject: members)))
  }

  private static func uid(_ number: Int) -> String {
    "c0ffee00-0000-4000-8000-\(String(format: "%012d", number))"
  }

  private static func token(_ kind: String, _ number: Int, _ version: Int, _ bytes: Int) -> String {
    let start = "\(kind)-\(String(format: "%06d-%09d-", number, version))"
    return start + String(repeating: "x", count: bytes - start.utf8.count)
  }

  private static func base64URL(_ object: [String: String]) throws -> String {
    try JSONSerialization.data(withJSONObject: object, options: .sortedKeys).base64EncodedString()
      .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
  }
}
