// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// Token responses of a fictitious Azure AD tenant, with tokens of usual sizes: 1.2 to 1.7 kB each.
enum SampleResponse {
  static let scopes: Scopes = ["mail.read"]
  private static let tenant = "7a1e6a10-54c2-4b1b-8d39-3f0f1f6c9a55"
  private static let accessTokenBytes = 1_500
  private static let refreshTokenBytes = 1_200

  /// Returns the home account id of the account with a number.
  static func identifier(account number: Int) -> String { "\(uid(number)).\(tenant)" }

  /// Returns a token response.
  ///
  /// Different versions have different tokens of the same size.
  static func make(account number: Int, version: Int, family: String? = nil) throws -> TokenResponse {
    var members = try members(account: number, version: version)
    members["foci"] = family
    return try TokenResponse(parsing: Array(JSONSerialization.data(withJSONObject: members)))
  }

  /// Returns the description of an account for the peers: its identifiers and its first response.
  static func description(account number: Int) throws -> [String: Any] {
    [
      "identifier": identifier(account: number), "username": username(number), "display_name": name(number),
      "subject": subject(number), "response": try members(account: number, version: 0),
    ]
  }

  private static func members(account number: Int, version: Int) throws -> [String: Any] {
    let claims: [String: String] = [
      "oid": uid(number), "tid": tenant, "sub": subject(number), "name": name(number),
      "preferred_username": username(number),
      "iss": "https://login.microsoftonline.com/\(tenant)/v2.0",
      "padding": String(repeating: "p", count: 700),
    ]
    return [
      "token_type": "Bearer", "scope": scopes.target, "expires_in": 86_400,
      "access_token": token("at", number, version, accessTokenBytes),
      "refresh_token": token("rt", number, version, refreshTokenBytes),
      "id_token": "header.\(try base64URL(claims)).\(String(repeating: "s", count: 340))",
      "client_info": try base64URL(["uid": uid(number), "utid": tenant]),
    ]
  }

  private static func name(_ number: Int) -> String { "User \(number)" }

  private static func username(_ number: Int) -> String { "user\(number)@contoso.com" }

  private static func subject(_ number: Int) -> String { "subject-\(number)" }

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
