// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("ID token claims")
struct IDTokenClaimsTests {
  @Test("The payload's claims are read, whatever the header and signature")
  func reads() throws {
    let payload = JSONValue.object(["sub": "s", "tid": "t", "oid": "o", "n": 1]).base64URL
    for token in ["header.\(payload).signature", ".\(payload).", "\u{0}.\(payload)==.💥"] {
      let claims = try IDTokenClaims(token: token)
      #expect(claims.subject == "s")
      #expect(claims.tenantID == "t")
      #expect(claims.localAccountID == "o")
      #expect(claims.claims["n"] == 1)
    }
  }

  @Test(
    "The user name is the first of preferred_username, upn, email and unique_name that is not empty",
    arguments: [
      (["preferred_username": "p", "upn": "u", "email": "e", "unique_name": "n"], "p"),
      (["upn": "u", "email": "e", "unique_name": "n"], "u"),
      (["email": "e", "unique_name": "n"], "e"),
      (["unique_name": "n"], "n"),
      (["preferred_username": "", "upn": "u"], "u"),
      (["preferred_username": 1, "upn": "u"], "u"),
      (["name": "A Person"], nil),
    ] as [(JSONObject, String?)])
  func username(claims: JSONObject, expected: String?) throws {
    #expect(try IDTokenClaims(token: JSONValue.object(claims).idToken).username == expected)
  }

  @Test("The local account ID is oid, else sub")
  func localAccount() throws {
    #expect(try IDTokenClaims(token: JSONValue.object(["sub": "s"]).idToken).localAccountID == "s")
    #expect(try IDTokenClaims(token: JSONValue.object([:]).idToken).localAccountID == nil)
  }

  @Test("An empty claim and one that is no string count as absent")
  func absent() throws {
    let claims = try IDTokenClaims(token: JSONValue.object(["sub": "", "tid": ["a"], "oid": .null]).idToken)
    #expect(claims.subject == nil)
    #expect(claims.tenantID == nil)
    #expect(claims.localAccountID == nil)
  }

  @Test(
    "Text that is no JWT with a JSON object as payload throws invalidResponse",
    arguments: [
      "", ".", "..", "...", "token", "a.b", "a.b.c", "a.e30", "a.e30.c.d", "a.e30.c.d.e", "a..c",
      "a.bnVsbA.c", "a.W10.c", "a.{}.c", "a.e3.c", "a.eyJhIjoxLCJhIjoyfQ.c", "a.e30!.c", "a. e30.c",
      "a.\(String(repeating: "A", count: 4001)).c",
    ])
  func refused(_ token: String) throws {
    let error = try #require(throws: SecretStoreError.self) { try IDTokenClaims(token: token) }
    #expect(error.code == .invalidResponse)
    #expect(!error.description.contains("eyJ"))
  }
}
