// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Parts of a credential's keychain key")
struct CredentialKeychainPartsTests {
  private static let token = "accesstoken-client-contoso.com-user.read user.write"

  @Test(
    "Requested claims end the service with seven digits of their SHA-256 digest",
    arguments: [
      ("abc", "ba7816b"), (" ABC\n", "ba7816b"),
      (#"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#, "5a6ffbe"),
    ])
  func requestedClaims(claims: String, digits: String) throws {
    let changes: JSONObject = ["requested_claims": .string(claims)]
    let plain = try KeychainSample.attributes(.accessToken, changes)
    #expect(plain.service == "\(Self.token)|\(digits)")
    #expect(plain.generic == "accesstoken-client-contoso.com")
    let bound = try KeychainSample.key(
      .accessTokenWithAuthScheme,
      changes.changed(by: ["token_type": "Pop", "application_cache_identifier": "app"]))
    #expect(
      bound.service
        == "accesstoken_with_authscheme-client-contoso.com-app-user.read user.write-pop|\(digits)")
  }

  @Test(
    "Requested claims that are blank or no text count as none",
    arguments: ["", " \t\n", .null, 1, [:]] as [JSONValue])
  func noClaims(_ claims: JSONValue) throws {
    #expect(try KeychainSample.key(.accessToken, ["requested_claims": claims]).service == Self.token)
  }

  @Test("Claims under MSAL for Node's name count, too")
  func nodeClaims() throws {
    #expect(
      try KeychainSample.key(.accessToken, ["requestedClaims": "abc"])
        == KeychainSample.key(.accessToken, ["requested_claims": "abc"]))
  }

  @Test("An empty application identifier leaves its hyphen", arguments: ["", " "])
  func emptyApplication(_ identifier: String) throws {
    let key = try KeychainSample.key(
      .accessToken, ["application_cache_identifier": .string(identifier)])
    #expect(key.service == "accesstoken-client-contoso.com--user.read user.write")
    #expect(key.generic == "accesstoken-client-contoso.com-")
  }

  @Test("A token of another app of the client is another item")
  func otherApplication() throws {
    let keys = try [.null, "com.contoso.mail", "com.contoso.files"].map { (app: JSONValue) in
      try KeychainSample.key(.accessToken, ["application_cache_identifier": app])
    }
    #expect(Set(keys.map(\.service)).count == 3)
    #expect(Set(keys.map(\.generic)).count == 3)
  }

  @Test(
    "A bearer token's scheme is no part of its key", arguments: ["Bearer", "bearer", "BEARER", " Bearer "])
  func bearer(_ scheme: String) throws {
    #expect(try KeychainSample.key(.accessToken, ["token_type": .string(scheme)]).service == Self.token)
  }

  @Test("A scheme that a plain access token names ends its service")
  func schemeOfPlainKind() throws {
    let key = try KeychainSample.attributes(.accessToken, ["token_type": "SSH-Cert"])
    #expect(key.service == "\(Self.token)-ssh-cert")
    #expect(key.type == 2001)
  }

  @Test("A key-bound token without a scheme has no suffix")
  func boundWithoutScheme() throws {
    #expect(
      try KeychainSample.key(.accessTokenWithAuthScheme).service
        == "accesstoken_with_authscheme-client-contoso.com-user.read user.write")
  }

  @Test("MSAL for Node's spelling of the scheme counts, too")
  func nodeScheme() throws {
    #expect(
      try KeychainSample.key(.accessTokenWithAuthScheme, ["tokenType": "pop"])
        == KeychainSample.key(.accessTokenWithAuthScheme, ["token_type": "Pop"]))
  }

  /// Members that entries of other kinds, or of other languages, have.
  private static let foreign: JSONObject = [
    "target": "s2 s1", "token_type": "Pop", "application_cache_identifier": "app", "requested_claims": "abc",
  ]

  @Test(
    "Keys of refresh tokens and ID tokens have no part of an access token",
    arguments: CredentialKind.allCases)
  func foreignParts(_ kind: CredentialKind) throws {
    let changes = kind.section == .refreshToken ? Self.foreign.changed(by: ["realm": "tenant"]) : Self.foreign
    #expect(try (KeychainSample.key(kind, changes) == KeychainSample.key(kind)) == !kind.isAccessToken)
  }

  @Test(
    "Members that neither name nor partition a credential do not change the key",
    arguments: [
      "secret", "kid", "cached_at", "expires_on", "refresh_on", "enrollment_id", "bound_device_id",
      "redirect_uri", "session_key", "unknown",
    ])
  func otherMembers(_ name: String) throws {
    for kind in CredentialKind.allCases {
      #expect(try KeychainSample.key(kind, [name: "1700000000"]) == KeychainSample.key(kind))
    }
  }

  @Test("Parts with hyphens remain whole")
  func hyphens() throws {
    let key = try KeychainSample.attributes(
      .idToken, ["client_id": "a-b", "realm": "c--d-", "home_account_id": "uid-b2c_1_signin.utid"])
    #expect(
      key
        == KeychainAttributes(
          "uid-b2c_1_signin.utid-login.microsoftonline.com", "idtoken-a-b-c--d--", "idtoken-a-b-c--d-", 2003))
  }
}
