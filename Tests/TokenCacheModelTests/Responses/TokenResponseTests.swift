// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@Suite("Token response")
struct TokenResponseTests {
  @Test("Every member of RFC 6749 5.1 and of Microsoft's additions is read")
  func everything() throws {
    let response = try TokenResponse(
      members: Person.anna.answer(
        scope: "Mail.Read openid", family: "1", changing: ["ext_expires_in": 7200, "refresh_in": 1800]))
    #expect(response.accessToken == "at-1")
    #expect(response.refreshToken == "rt-1")
    #expect(response.tokenType == "Bearer")
    #expect(response.scopes == ["mail.read", "openid"])
    #expect(response.expiresIn == 3600)
    #expect(response.extendedExpiresIn == 7200)
    #expect(response.refreshIn == 1800)
    #expect(response.idToken == Person.anna.idToken)
    #expect(response.claims?.username == "anna@contoso.com")
    #expect(response.encodedClientInfo == Person.anna.clientInfo)
    #expect(response.clientInfo?.homeAccountID == Person.anna.identifier)
    #expect(response.familyID == "1")
  }

  @Test(
    "Members that are left out, null, empty or blank have their defaults",
    arguments: [nil, .null, "", " "] as [JSONValue?]
  )
  func defaults(value: JSONValue?) throws {
    var members: JSONObject = ["access_token": "at"]
    for name in ["token_type", "scope", "refresh_token", "id_token", "client_info", "foci"] {
      members[name] = value
    }
    let response = try TokenResponse(parsing: members.bytes)
    #expect(response.tokenType == "Bearer")
    #expect(response.scopes == nil)
    #expect(response.expiresIn == 3600)
    #expect(response.extendedExpiresIn == nil)
    #expect(response.refreshIn == nil)
    #expect(response.refreshToken == nil)
    #expect(response.idToken == nil)
    #expect(response.claims == nil)
    #expect(response.clientInfo == nil)
    #expect(response.encodedClientInfo == nil)
    #expect(response.familyID == nil)
  }

  @Test(
    "A lifetime is read from a number or a string of digits",
    arguments: [
      (3600, 3600), ("3600", 3600), (0, 0), ("0", 0), (315_360_000, 315_360_000), (1, 1), (.null, 3600),
      (.number(JSONNumber(literal: "3600.0") ?? JSONNumber(0)), 3600),
      (.number(JSONNumber(literal: "36e2") ?? JSONNumber(0)), 3600),
    ] as [(JSONValue, Int)]
  )
  func lifetime(value: JSONValue, expected: Int) throws {
    let response = try TokenResponse(members: ["access_token": "at", "expires_in": value])
    #expect(response.expiresIn == expected)
  }

  @Test("Members that nobody knows are passed over")
  func unknownMembers() throws {
    let members = Person.anna.answer(changing: [
      "not_before": 1, "resource": "r", "expires_on": "soon", "x": [["y": nil]],
    ])
    #expect(try TokenResponse(members: members).accessToken == "at-1")
  }

  @Test("The body may begin with a byte order mark")
  func byteOrderMark() throws {
    let body = [0xEF, 0xBB, 0xBF] + Person.anna.answer().bytes
    #expect(try TokenResponse(parsing: body).accessToken == "at-1")
  }

  @Test("A token of just under 1 MB is taken")
  func largeToken() throws {
    let token = String(repeating: "a", count: TokenResponse.maximumTokenBytes)
    #expect(try TokenResponse(members: ["access_token": .string(token)]).accessToken == token)
  }

  @Test("A refresh token without an access token is taken")
  func refreshTokenOnly() throws {
    let response = try TokenResponse(members: ["refresh_token": "rt"])
    #expect(response.accessToken == nil)
    #expect(response.refreshToken == "rt")
  }
}
