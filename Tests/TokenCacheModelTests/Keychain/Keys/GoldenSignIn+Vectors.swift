// SPDX-License-Identifier: MIT

import TokenCacheModel

extension GoldenSignIn {
  static let all = [aad, msa, b2c, b2cWithTenant, family, pop, sshCertificate]

  private static let user = TestUser(
    uid: "9f4880d8-80ba-4c40-97bc-f7a23c703084", utid: "f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
    username: "idlab@msidlab4.onmicrosoft.com")
  private static let scopes = "Calendars.Read openid profile Tasks.Read User.Read email"
  private static let client = "b6c69a37-df96-4db0-9088-2ab96e1d8215"
  private static let tenant = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
  private static let token = "accesstoken-\(client)-\(tenant)"
  private static let bound = "accesstoken_with_authscheme-\(client)-\(tenant)"

  /// A sign-in at Azure AD.
  private static func aad(
    _ name: String, _ token: (String, String, Int), target: String = scopes, changes: JSONObject = [:],
    family: String? = nil
  ) -> GoldenSignIn {
    GoldenSignIn(
      name, authority: "https://login.microsoftonline.com/common", clientID: client,
      response: user.response(scope: target, family: family, changing: changes),
      members: [
        "home_account_id": "9f4880d8-80ba-4c40-97bc-f7a23c703084.f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
        "realm": .string(tenant), "target": .string(target), "username": "idlab@msidlab4.onmicrosoft.com",
      ],
      account: "9f4880d8-80ba-4c40-97bc-f7a23c703084.f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
        + "-login.microsoftonline.com",
      accessToken: token, tenant: tenant, username: "idlab@msidlab4.onmicrosoft.com", family: family)
  }

  static let aad = aad(
    "AAD", ("\(token)-calendars.read openid profile tasks.read user.read email", token, 2001))

  static let family = aad(
    "FOCI", ("\(token)-calendars.read openid profile tasks.read user.read email", token, 2001), family: "1")

  static let pop = aad(
    "PoP", ("\(bound)-calendars.read openid profile tasks.read user.read email-pop", bound, 2007),
    changes: ["token_type": "Pop"])

  private static let linux = "https://pas.windows.net/CheckMyAccess/Linux"
  private static let linuxLower = "https://pas.windows.net/checkmyaccess/linux"

  static let sshCertificate = aad(
    "ssh-cert",
    ("\(bound)-\(linuxLower)/user_impersonation \(linuxLower)/.default-ssh-cert", bound, 2007),
    target: "\(linux)/user_impersonation \(linux)/.default", changes: ["token_type": "ssh-cert"])

  private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

  static let msa = GoldenSignIn(
    "MSA", authority: "https://login.microsoftonline.com/common", clientID: client,
    response: TestUser(
      uid: "00000000-0000-0000-40c0-3bac188d01d1", utid: personal, username: "msalsdktest@outlook.com"
    ).response(scope: "Tasks.Read User.Read openid profile"),
    members: [
      "home_account_id": "00000000-0000-0000-40c0-3bac188d01d1.9188040d-6c67-4c5b-b112-36a304b66dad",
      "realm": .string(personal), "target": "Tasks.Read User.Read openid profile",
      "username": "msalsdktest@outlook.com",
    ],
    account: "00000000-0000-0000-40c0-3bac188d01d1.9188040d-6c67-4c5b-b112-36a304b66dad"
      + "-login.microsoftonline.com",
    accessToken: (
      "accesstoken-\(client)-\(personal)-tasks.read user.read openid profile",
      "accesstoken-\(client)-\(personal)", 2001
    ), tenant: personal, username: "msalsdktest@outlook.com")

  /// A sign-in at Azure AD B2C, whose id token may lack tenant and user name.
  private static func b2c(_ name: String, claims: JSONObject, username: String) -> GoldenSignIn {
    let client = "0a7f52dd-260e-432f-94de-b47828c3f372"
    let tenant = "ba6c0d94-a8da-45b2-83ae-33871f9c2dd8"
    let scope = "https://iosmsalb2c.onmicrosoft.com/webapitest/user.read"
    let user = TestUser(
      uid: "ad020f8e-b1ba-44b2-bd69-c22be86737f5-b2c_1_signin", utid: tenant, username: username)
    let claims = claims.changed(by: [
      "sub": "ad020f8e-b1ba-44b2-bd69-c22be86737f5", "oid": "ad020f8e-b1ba-44b2-bd69-c22be86737f5",
      "tfp": "B2C_1_Signin",
    ])
    return GoldenSignIn(
      name, authority: "https://login.microsoftonline.com/tfp/iosmsalb2c.onmicrosoft.com/b2c_1_signin",
      clientID: client,
      response: user.response(
        scope: scope, changing: ["id_token": .string(JSONValue.object(claims).idToken)]),
      members: [
        "home_account_id":
          "ad020f8e-b1ba-44b2-bd69-c22be86737f5-b2c_1_signin.ba6c0d94-a8da-45b2-83ae-33871f9c2dd8",
        "realm": .string(tenant), "target": .string(scope), "username": .string(username),
      ],
      account: "ad020f8e-b1ba-44b2-bd69-c22be86737f5-b2c_1_signin.ba6c0d94-a8da-45b2-83ae-33871f9c2dd8"
        + "-login.microsoftonline.com",
      accessToken: (
        "accesstoken-\(client)-\(tenant)-https://iosmsalb2c.onmicrosoft.com/webapitest/user.read",
        "accesstoken-\(client)-\(tenant)", 2001
      ), tenant: tenant, username: username.lowercased())
  }

  static let b2c = b2c("B2C", claims: [:], username: "Missing from the token response")

  static let b2cWithTenant = b2c(
    "B2C with tenant",
    claims: [
      "tid": "ba6c0d94-a8da-45b2-83ae-33871f9c2dd8", "preferred_username": "msalsdktest@outlook.com",
    ], username: "msalsdktest@outlook.com")
}
