// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache

/// One authorization request, and the secrets that identify its response.
///
/// Create a new one for each attempt.
struct SignInAttempt: Sendable {
  let issuer: String
  let clientID: String
  let redirectURI: String
  let scopes: Scopes
  /// The resource that ADAL requests instead of scopes; `nil` for none.
  var resource: String?
  /// The value that identifies the response.
  var state = RandomText.make()
  let nonce = RandomText.make()
  let proofKey = ProofKey()

  /// The authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core 1.0 section
  /// 3.1.2.1).
  var request: Form {
    Form(fields: [
      "response_type": "code", "client_id": clientID, "redirect_uri": redirectURI,
      "scope": scopes.union(["openid"]).target, "state": state, "nonce": nonce,
      "code_challenge": proofKey.challenge, "code_challenge_method": "S256",
      "resource": resource,
    ])
  }

  /// Returns whether a response belongs to this request.
  ///
  /// Any page in the browser can send other requests to the redirect URI. They must not end the attempt.
  func isExpected(_ response: [String: String]) -> Bool { RandomText.isSame(response["state"], as: state) }

  /// Returns the authorization code of a response.
  func code(in response: [String: String]) throws(SignInError) -> String {
    if let sender = response["iss"], sender != issuer {
      throw .untrusted(reason: "it comes from another issuer")  // RFC 9207: a mix-up of two providers
    }
    if let error = response["error"] {
      throw .refused(
        error: Self.printable(error), description: response["error_description"].map(Self.printable))
    }
    guard let code = response["code"], !code.isEmpty else { throw .untrusted(reason: "it holds no code") }
    return code
  }

  /// Returns the token request for a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5).
  func redemption(of code: String) -> Form {
    Form(fields: [
      "grant_type": "authorization_code", "client_id": clientID, "redirect_uri": redirectURI, "code": code,
      "code_verifier": proofKey.verifier, "resource": resource,
      "client_info": "1",  // Azure AD then identifies the user; other providers ignore it
    ])
  }

  /// Verifies the ID token according to OpenID Connect Core 1.0 section 3.1.3.7.
  ///
  /// The signature need not be verified, because the token comes directly from the token endpoint.
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

  /// The maximum difference between the clocks of the provider and of this machine, in seconds.
  private static let clockSkew = 300.0

  /// Returns the characters that RFC 6749 permits in an error.
  ///
  /// None of them controls a terminal.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }))
  }
}
