// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Token response")
struct TokenResponseTests {
  @Test("Each member of RFC 6749 5.1 and of Microsoft's additions is read")
  func everything() throws {
    let response = try TokenResponse(
      members: TestUser.anna.response(
        scope: "Mail.Read openid", family: "1", changing: ["ext_expires_in": 7200, "refresh_in": 1800]))
    #expect(response.accessToken == "at-1")
    #expect(response.refreshToken == "rt-1")
    #expect(response.tokenType == "Bearer")
    #expect(response.scopes == ["mail.read", "openid"])
    #expect(response.expiresIn == 3600)
    #expect(response.extendedExpiresIn == 7200)
    #expect(response.refreshIn == 1800)
    #expect(response.idToken == TestUser.anna.idToken)
    #expect(response.claims?.username == "anna@contoso.com")
    #expect(response.encodedClientInfo == TestUser.anna.clientInfo)
    #expect(response.clientInfo?.homeAccountID == TestUser.anna.identifier)
    #expect(response.familyID == "1")
  }

  @Test(
    "Members that are absent, null, empty or blank have their defaults",
    arguments: [nil, .null, "", " "] as [JSONValue?])
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
      (.number(JSONNumber(literal: "3600.7") ?? JSONNumber(0)), 3600),
    ] as [(JSONValue, Int)])
  func lifetime(value: JSONValue, expected: Int) throws {
    let response = try TokenResponse(members: ["access_token": "at", "expires_in": value])
    #expect(response.expiresIn == expected)
  }

  private static let lifetimes = ["expires_in", "ext_expires_in", "refresh_in"]

  private static func response(_ names: [String], _ value: JSONValue) throws -> TokenResponse {
    var changes: JSONObject = [:]
    for name in names { changes[name] = value }
    return try TokenResponse(members: TestUser.anna.response(changing: changes))
  }

  @Test(
    "A lifetime out of range is clamped to 0 and ten years, and the member is named",
    arguments: [
      (-1, 0), ("-1", 0), (.number(JSONNumber(literal: "-1e300") ?? JSONNumber(0)), 0),
      (315_360_001, 315_360_000), (2_145_916_800, 315_360_000),
      (9_223_372_036_854_775_807, 315_360_000), ("99999999999999999999", 315_360_000),
      (.number(JSONNumber(literal: "1e300") ?? JSONNumber(0)), 315_360_000),
      (.number(JSONNumber(literal: "1e400") ?? JSONNumber(0)), 315_360_000),
    ] as [(JSONValue, Int)])
  func clampedLifetime(value: JSONValue, clamped: Int) throws {
    let response = try Self.response(Self.lifetimes, value)
    #expect(response.refreshToken == "rt-1")
    #expect(response.expiresIn == clamped)
    #expect(response.extendedExpiresIn == clamped && response.refreshIn == clamped)
    #expect(response.oddMembers(at: TestClock.start) == ["expires_in", "ext_expires_in", "refresh_in"])
  }

  @Test(
    "A lifetime that is no number counts as absent, and the member is named",
    arguments: ["an hour", "nan", true, [3600], [:], "٣٦٠٠", "3600 "] as [JSONValue])
  func badLifetime(value: JSONValue) throws {
    let response = try Self.response(Self.lifetimes, value)
    #expect(response.refreshToken == "rt-1")
    #expect(response.expiresIn == 3600)
    #expect(response.extendedExpiresIn == nil && response.refreshIn == nil)
    #expect(response.oddMembers(at: TestClock.start) == ["expires_in", "ext_expires_in", "refresh_in"])
  }

  @Test(
    "A point in time counts as absent when it is none, as ten years from now when it is later, and is named",
    arguments: [
      (-1, nil), ("soon", nil), ([1], nil),
      (.number(JSONNumber(literal: "1e300") ?? JSONNumber(0)), 315_360_000),
      (9_999_999_999, 315_360_000), ("9999999999999", 315_360_000),
    ] as [(JSONValue, Double?)])
  func badPoint(value: JSONValue, clamped: Double?) throws {
    let names = ["expires_on", "ext_expires_on", "refresh_on"]
    var members = TestUser.anna.response(changing: ["expires_in": .null])
    for name in names { members[name] = value }
    let response = try TokenResponse(members: members)
    let now = TestClock.start
    #expect(response.expiry(at: now) == now.addingTimeInterval(clamped ?? 3600))
    #expect(response.extendedExpiry(at: now) == clamped.map(now.addingTimeInterval))
    #expect(response.refreshTime(at: now) == clamped.map(now.addingTimeInterval))
    #expect(response.oddMembers(at: now) == names.sorted())
  }

  @Test(
    "Members that are right, absent, null or blank are not named as odd",
    arguments: [nil, .null, "", " "] as [JSONValue?])
  func nothingOdd(value: JSONValue?) throws {
    var members = TestUser.anna.response(
      family: "1", changing: ["expires_on": "1700003600", "refresh_in": 1800])
    if let value { for name in Self.lifetimes { members[name] = value } }
    let refreshed = try TokenResponse(toRefresh: members.bytes, redeeming: "rt-0")
    #expect(try TokenResponse(members: members).oddMembers(at: TestClock.start) == [])
    #expect(refreshed.oddMembers(at: TestClock.start) == [])
  }

  @Test(
    "A response to a refresh that is cut, or nested too deep, keeps its refresh token",
    arguments: [
      #"{"refresh_token":"rt-1","access_token":"at-1""#, #"{"refresh_token":"rt-1","scope":"mail.r"#,
      #"{"x":\#(String(repeating: "[", count: 80) + String(repeating: "]", count: 80)),"refresh_token":"rt-1"}"#,
    ])
  func cutOrNestedTooDeep(body: String) throws {
    let response = try TokenResponse(toRefresh: Array(body.utf8), redeeming: "rt-0")
    #expect(response.refreshToken == "rt-1")
    #expect(response.oddMembers(at: TestClock.start).contains("body"))
  }

  @Test("Of a response to a refresh that is cut, the access token does not count: its scopes may be missing")
  func cutAccessToken() throws {
    let body = #"{"access_token":"new","refresh_token":"rt-1","expires_in":3600,"sco"#
    let response = try TokenResponse(toRefresh: Array(body.utf8), redeeming: "rt-0")
    #expect(response.accessToken == nil && response.refreshToken == "rt-1")
    #expect(response.withFamily("1").familyID == "1")
  }

  @Test("A response to a refresh that is cut in its refresh token is none")
  func cutRefreshToken() throws {
    let body = #"{"access_token":"new","refresh_token":"rt-"#
    #expect(throws: SecretStoreError(.invalidResponse, "")) {
      try TokenResponse(toRefresh: Array(body.utf8), redeeming: "rt-0")
    }
  }

  @Test("Unknown members are ignored")
  func unknownMembers() throws {
    let members = TestUser.anna.response(changing: [
      "not_before": 1, "resource": "r", "expires_on": "soon", "x": [["y": nil]],
    ])
    #expect(try TokenResponse(members: members).accessToken == "at-1")
  }

  @Test("The body may begin with a byte order mark")
  func byteOrderMark() throws {
    let body = [0xEF, 0xBB, 0xBF] + TestUser.anna.response().bytes
    #expect(try TokenResponse(parsing: body).accessToken == "at-1")
  }

  @Test("A token of just under 1 MB is accepted")
  func largeToken() throws {
    let token = String(repeating: "a", count: TokenResponse.maximumTokenBytes)
    #expect(try TokenResponse(members: ["access_token": .string(token)]).accessToken == token)
  }

  @Test("A refresh token without an access token is accepted")
  func refreshTokenOnly() throws {
    let response = try TokenResponse(members: ["refresh_token": "rt"])
    #expect(response.accessToken == nil)
    #expect(response.refreshToken == "rt")
  }
}
