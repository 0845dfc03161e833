// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A user who signs in, at Azure AD with a `uid.utid`, elsewhere with a `sub`.
struct TestUser: Sendable {
  let uid: String
  let utid: String
  let username: String

  static let anna = TestUser(
    uid: "9f4880d8-80ba-4c40-97bc-f7a23c703084", utid: "f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
    username: "anna@contoso.com")
  static let boris = TestUser(
    uid: "1b2c3d4e-0000-4c40-97bc-f7a23c703084", utid: "f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
    username: "boris@contoso.com")

  /// The home account id at Azure AD.
  var identifier: String { "\(uid).\(utid)" }

  var clientInfo: String { JSONValue.object(["uid": .string(uid), "utid": .string(utid)]).base64URL }

  var idToken: String {
    let claims: JSONObject = [
      "sub": .string("sub of \(uid)"), "oid": .string(uid), "tid": .string(utid),
      "preferred_username": .string(username), "name": "A Person",
    ]
    return JSONValue.object(claims).idToken
  }

  /// Azure AD's response to a sign-in or to a refresh token.
  ///
  /// - Parameter number: Distinguishes the tokens of this response: `at-1` and `rt-1`.
  func response(
    _ number: Int = 1, scope: String = "mail.read openid profile", family: String? = nil,
    changing changes: JSONObject = [:]
  ) -> JSONObject {
    var members: JSONObject = [
      "token_type": "Bearer", "scope": .string(scope), "expires_in": 3600,
      "access_token": .string("at-\(number)"), "refresh_token": .string("rt-\(number)"),
      "id_token": .string(idToken), "client_info": .string(clientInfo),
    ]
    if let family { members["foci"] = .string(family) }
    return members.changed(by: changes)
  }

  /// The response of an OpenID provider other than Azure AD.
  ///
  /// - Parameters:
  ///   - subject: The user's `sub`; by default the user name.
  ///   - issuer: The `iss` of the id token.
  func openIDResponse(
    _ number: Int = 1, scope: String = "mail.read openid", subject: String? = nil, issuer: String? = nil,
    family: String? = nil
  ) -> JSONObject {
    var claims: JSONObject = ["sub": .string(subject ?? username), "preferred_username": .string(username)]
    if let issuer { claims["iss"] = .string(issuer) }
    return response(
      number, scope: scope, family: family,
      changing: ["id_token": .string(JSONValue.object(claims).idToken), "client_info": .null])
  }
}

extension JSONObject {
  /// This object with other members; `null` removes one.
  func changed(by changes: JSONObject) -> JSONObject {
    var result = self
    for (name, value) in changes {
      if value == .null { result[name] = nil } else { result[name] = value }
    }
    return result
  }

  /// The object as a JSON document.
  var bytes: [UInt8] { JSONValue.object(self).serialized() }
}
