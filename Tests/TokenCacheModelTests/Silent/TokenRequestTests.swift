// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel

@Suite("Token request")
struct TokenRequestTests {
  private func request(
    _ authority: String, client: String = "client", scopes: Scopes = ["mail.read"], token: String = "rt"
  ) throws -> TokenRequest {
    TokenRequest(
      authority: try Authority(authority), clientID: client, scopes: scopes, refreshToken: token)
  }

  @Test(
    "Azure AD is asked for client_info and the sign-in's own scopes as well",
    arguments: [SharedGroup.azure, "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin"]
  )
  func azure(authority: String) throws {
    #expect(
      try request(authority).formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt"
        + "&scope=mail.read%20offline_access%20openid%20profile&client_info=1")
  }

  @Test(
    "Any other provider is asked for what the app asked for",
    arguments: ["https://id.contoso.com", "https://adfs.contoso.com/adfs"])
  func others(authority: String) throws {
    #expect(
      try request(authority, scopes: ["b", "A"]).formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt&scope=A%20b")
  }

  @Test("Without scopes the form has no scope")
  func noScopes() throws {
    #expect(
      try request("https://id.contoso.com", scopes: []).formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt")
  }

  @Test(
    "Values are percent-encoded byte by byte, all but RFC 3986's unreserved characters",
    arguments: [
      ("azAZ09-._~", "azAZ09-._~"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"),
      ("100%", "100%25"), ("é", "%C3%A9"), ("💥", "%F0%9F%92%A5"), ("\r\n\0", "%0D%0A%00"),
      ("/?#", "%2F%3F%23"),
      ("*", "%2A"), ("", ""),
    ]
  )
  func encoding(value: String, expected: String) throws {
    let request = try request("https://id.contoso.com", client: value, scopes: [], token: value)
    #expect(
      request.formBody == "grant_type=refresh_token&client_id=\(expected)&refresh_token=\(expected)")
  }
}
