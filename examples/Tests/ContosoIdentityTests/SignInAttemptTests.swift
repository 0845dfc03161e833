// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@testable import ContosoIdentity

@Suite("One attempt to sign in")
struct SignInAttemptTests {
  let attempt = SignInAttempt(
    issuer: "https://id.contoso.com", clientID: "contoso-suite", redirectURI: "http://127.0.0.1:8401/app",
    scopes: ["suite.read"])

  @Test("The challenge is that of RFC 7636 appendix B")
  func challenge() {
    let key = ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(ProofKey().verifier.count == 43)
  }

  @Test("No two attempts share a secret, and the request has no verifier")
  func secrets() {
    let other = SignInAttempt(issuer: "", clientID: "", redirectURI: "", scopes: [])
    let secrets = [attempt, other].flatMap { [$0.state, $0.nonce, $0.proofKey.verifier] }
    #expect(Set(secrets).count == 6)
    #expect(!attempt.request.encoded.contains(attempt.proofKey.verifier))
    #expect(attempt.request.encoded.contains("scope=openid%20suite.read"))
  }

  @Test("A response must have the state of the request")
  func state() {
    #expect(attempt.isExpected(["state": attempt.state]))
    #expect(!attempt.isExpected(["state": attempt.state + "x"]))
    #expect(!attempt.isExpected(["state": ""]))
    #expect(!attempt.isExpected(["code": "c"]))
  }

  @Test("A response has its code or throws the reason")
  func code() throws {
    #expect(try attempt.code(in: ["code": "c", "iss": "https://id.contoso.com"]) == "c")
    #expect(throws: SignInError.untrusted(reason: "it holds no code")) { try attempt.code(in: ["code": ""]) }
    #expect(throws: SignInError.untrusted(reason: "it comes from another issuer")) {
      try attempt.code(in: ["code": "c", "iss": "https://id.fabrikam.com"])
    }
    #expect(throws: SignInError.refused(error: "access_denied", description: "No[31m!")) {
      try attempt.code(in: ["error": "access_denied", "error_description": "No\u{1B}[31m!\n", "code": "c"])
    }
  }

  @Test("An ID token of this sign-in is accepted")
  func takesToken() throws {
    try attempt.check(claims())
    try attempt.check(claims("aud", ["contoso-suite"]))
  }

  @Test(
    "Any other ID token is refused",
    arguments: [
      ("iss", "https://id.contoso.com/"), ("aud", "fabrikam"), ("aud", ["contoso-suite", "fabrikam"]),
      ("aud", nil),
      ("nonce", "another"), ("nonce", nil), ("exp", 1), ("exp", nil),
    ] as [(String, JSONValue?)])
  func refusesToken(name: String, value: JSONValue?) throws {
    let claims = try claims(name, value)
    #expect(throws: SignInError.self) { try attempt.check(claims) }
    #expect(throws: SignInError.self) { try attempt.check(nil) }
  }

  /// An ID token's claims, with one of them replaced.
  private func claims(_ name: String = "sub", _ value: JSONValue? = "ada") throws -> IDTokenClaims {
    var claims: JSONObject = [
      "iss": "https://id.contoso.com", "aud": "contoso-suite", "nonce": .string(attempt.nonce),
      "exp": 4_102_444_800,
    ]
    claims[name] = value
    let payload = RandomText.base64URL(JSONValue.object(claims).serialized())
    return try IDTokenClaims(token: "e30.\(payload).")
  }
}
