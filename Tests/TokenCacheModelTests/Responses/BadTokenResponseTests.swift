// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Malformed token response")
struct BadTokenResponseTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let changes: JSONObject
    /// The member that the error names.
    let member: String

    init(_ what: String, _ changes: JSONObject, names member: String) {
      self.testDescription = what
      self.changes = changes
      self.member = member
    }
  }

  private static let million = JSONValue.string(String(repeating: "x", count: 1_000_000))

  private static let wrongTypes: [Bad] = [
    "access_token", "refresh_token", "id_token", "token_type", "scope", "client_info", "foci",
  ]
  .flatMap { name in
    ([1, true, ["a"], ["a": "b"]] as [JSONValue]).map { Bad("\(name) is \($0)", [name: $0], names: name) }
  }

  private static let others: [Bad] = [
    Bad("no token", ["access_token": .null, "refresh_token": .null], names: "access_token"),
    Bad("empty tokens", ["access_token": "", "refresh_token": ""], names: "access_token"),
    Bad("blank tokens", ["access_token": " ", "refresh_token": "\n"], names: "access_token"),
    Bad("an access token of 1 MB", ["access_token": million], names: "access_token"),
    Bad("a refresh token of 1 MB", ["refresh_token": million], names: "refresh_token"),
    Bad("an id token of 1 MB", ["id_token": million], names: "id_token"),
    Bad("an id token of one part", ["id_token": "hunter2"], names: "id token"),
    Bad("an id token whose payload is no JSON", ["id_token": "a.b.c"], names: "id token"),
    Bad("an id token whose payload is an array", ["id_token": "a.W10.c"], names: "id token"),
    Bad("an encrypted id token", ["id_token": "a.e30.c.d.e"], names: "id token"),
    Bad("client_info that is no base64url", ["client_info": "hunter2!"], names: "client_info"),
    Bad("client_info without uid", ["client_info": "e30"], names: "client_info"),
  ]

  @Test(
    "It throws invalidResponse, and the error names the member and not its value",
    arguments: wrongTypes + others)
  func refused(_ bad: Bad) async throws {
    let members = TestUser.anna.response(changing: bad.changes)
    let error = try #require(throws: SecretStoreError.self) { try TokenResponse(members: members) }
    #expect(error.code == .invalidResponse)
    #expect(error.detail.contains(bad.member))
    #expect(error.detail.utf8.count < 200)
    #expect(RedactionProbe.texts(of: error).allSatisfy { !$0.contains("hunter2") })
  }

  @Test(
    "A body that is no JSON object throws invalidResponse",
    arguments: [
      "", " ", "null", "[]", "\"access_token\"", "1", "{", "{}x", #"{"access_token":"a",}"#,
      #"{"access_token":"a","access_token":"b"}"#, "access_token=hunter2&expires_in=3600", "<html></html>",
      #"{"access_token":"\ud800"}"#, String(repeating: #"{"a":"#, count: 100_000),
    ])
  func noObject(_ body: String) throws {
    let error = try #require(throws: SecretStoreError.self) { try TokenResponse(parsing: Array(body.utf8)) }
    #expect(error.code == .invalidResponse)
    #expect(!error.description.contains("hunter2"))
  }

  @Test("A body that is no UTF-8 throws invalidResponse")
  func noUTF8() {
    let body = Array(#"{"access_token":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
    #expect(throws: SecretStoreError(.invalidResponse, "")) { try TokenResponse(parsing: body) }
  }
}
