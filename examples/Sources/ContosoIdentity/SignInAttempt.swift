// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// One attempt to sign in: a question to the provider, and the secrets by which its answer is known.
///
/// Made anew for each attempt and used once.
struct SignInAttempt: Sendable {
  let issuer: String
  let clientID: String
  let redirectURI: String
  let scopes: Scopes
  /// What ADAL asks for in place of scopes; `nil` for none.
  var resource: String?
  /// What the answer is known by.
  var state = RandomText.make()
  let nonce = RandomText.make()
  let proofKey = ProofKey()

  /// The authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core 1.0 section
  /// 3.1.2.1).
  var question: Form {
    Form(fields: [
      "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI,
      "scope": scopes.union(["openid"]).target, "state": state, "nonce": nonce,
      "code_challenge": proofKey.challenge, "code_challenge_method": "S256",
      "resource": resource,
    ])
  }

  /// Whether an answer is to this question.
  ///
  /// Whatever else arrives at the redirect URI, from any page that the browser has open, is not, and must not
  /// end the attempt.
  func isAnswered(by answer: [String: String]) -> Bool { RandomText.isSame(answer["state"], as: state) }

  /// The authorization code in an answer.
  func code(in answer: [String: String]) throws(SignInError) -> String {
    if let sender = answer["iss"], sender != issuer {
      throw .untrusted(reason: "it comes from another issuer")  // RFC 9207: a mix-up of two providers
    }
    if let error = answer["error"] {
      throw .refused(
        error: Self.printable(error), description: answer["error_description"].map(Self.printable))
    }
    guard let code = answer["code"], !code.isEmpty else { throw .untrusted(reason: "it holds no code") }
    return code
  }

  /// The token request for a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
  func redemption(of code: String) -> Form {
    Form(fields: [
      "grant_type": "authorization_code", "client_id": clientID, "redirect_uri": redirectURI, "code": code,
      "code_verifier": proofKey.verifier, "resource": resource,
      "client_info": "1",  // by which Azure AD says who signed in; others pass over it
    ])
  }

  /// Checks the id token as OpenID Connect Core 1.0 section 3.1.3.7 asks.
  ///
  /// The signature may go unchecked there, for the token comes straight from the token endpoint.
  func check(_ idToken: IDTokenClaims?, now: Date = Date()) throws(SignInError) {
    guard let idToken else { throw .untrusted(reason: "there is no id token") }
    guard idToken["iss"] == issuer else { throw .untrusted(reason: "the id token is another issuer's") }
    let audience = idToken.claims["aud"]
    guard audience?.stringValue == clientID || audience?.arrayValue?.map(\.stringValue) == [clientID] else {
      throw .untrusted(reason: "the id token is for another client")
    }
    guard RandomText.isSame(idToken["nonce"], as: nonce) else {
      throw .untrusted(reason: "the id token is of another sign-in")
    }
    let expiry = idToken.claims["exp"]?.textValue.flatMap(Double.init) ?? 0
    guard expiry + Self.clockSkew > now.timeIntervalSince1970 else {
      throw .untrusted(reason: "the id token has expired")
    }
  }

  /// How far the clocks of the provider and of this machine may be apart, in seconds.
  private static let clockSkew = 300.0

  /// The characters that RFC 6749 allows in an error: none that a terminal would act on.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }))
  }
}
