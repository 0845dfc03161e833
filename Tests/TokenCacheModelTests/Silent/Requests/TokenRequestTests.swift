// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Token request")
struct TokenRequestTests {
  private func request(
    _ authority: String, client: String = "client", scopes: Scopes = ["mail.read"], token: String = "rt"
  ) throws -> TokenRequest {
    TokenRequest(
      authority: try Authority(authority), clientID: client, scopes: scopes, refreshToken: token)
  }

  @Test(
    "A request to Azure AD has client_info and the OpenID Connect scopes",
    arguments: [SharedGroup.azure, "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin"])
  func azure(authority: String) throws {
    #expect(
      try request(authority).formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt"
        + "&scope=mail.read%20offline_access%20openid%20profile&client_info=1")
  }

  @Test("A request to AD FS has the OpenID Connect scopes, since without openid it sends no ID token")
  func adfs() throws {
    #expect(
      try request("https://adfs.contoso.com/adfs").formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt"
        + "&scope=mail.read%20offline_access%20openid%20profile")
  }

  @Test("A request to any other provider has the app's scopes")
  func others() throws {
    #expect(
      try request("https://id.contoso.com", scopes: ["b", "A"]).formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt&scope=A%20b")
  }

  @Test("Without scopes the form has no scope")
  func noScopes() throws {
    #expect(
      try request("https://id.contoso.com", scopes: []).formBody
        == "grant_type=refresh_token&client_id=client&refresh_token=rt")
  }

  @Test(
    "The URL is the token endpoint of the authority",
    arguments: [
      (
        "https://login.microsoftonline.com/common",
        "https://login.microsoftonline.com/common/oauth2/v2.0/token"
      ),
      ("https://login.microsoftonline.com", "https://login.microsoftonline.com/common/oauth2/v2.0/token"),
      (
        "https://login.microsoftonline.us/contoso.com/v2.0",
        "https://login.microsoftonline.us/contoso.com/oauth2/v2.0/token"
      ),
      (
        "https://contoso.ciamlogin.com",
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/oauth2/v2.0/token"
      ),
      (
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin/oauth2/v2.0/token"
      ),
      (
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin/v2.0/",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin/oauth2/v2.0/token"
      ),
      ("https://adfs.contoso.com:8443/adfs/", "https://adfs.contoso.com:8443/adfs/oauth2/token"),
    ]
  )
  func url(authority: String, expected: String) throws {
    #expect(try request(authority).url.absoluteString == expected)
  }

  @Test(
    "The discovery document is at the authority's own path",
    arguments: [
      ("https://login.microsoftonline.com", "https://login.microsoftonline.com/common/v2.0"),
      (
        "https://login.microsoftonline.us/contoso.com/v2.0",
        "https://login.microsoftonline.us/contoso.com/v2.0"
      ),
      ("https://contoso.ciamlogin.com", "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0"),
      (
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin/v2.0"
      ),
      ("https://adfs.contoso.com:8443/adfs/", "https://adfs.contoso.com:8443/adfs"),
      ("https://id.contoso.com/", "https://id.contoso.com"),
      ("http://127.0.0.1:8400/realms/a%20b", "http://127.0.0.1:8400/realms/a%20b"),
    ])
  func discovery(authority: String, base: String) throws {
    #expect(
      try Authority(authority).discoveryURL.absoluteString == "\(base)/.well-known/openid-configuration")
  }

  @Test("The URL of a request for a resource is version 1 of Azure AD's endpoint")
  func urlForResource() throws {
    let request = TokenRequest(
      authority: try Authority("https://login.microsoftonline.com/contoso.com"), clientID: "client",
      scopes: [], refreshToken: "rt", resource: "https://graph.windows.net")
    #expect(
      try request.url.absoluteString == "https://login.microsoftonline.com/contoso.com/oauth2/token")
  }

  @Test("An OpenID provider's URL is the one that is given, and without one there is none")
  func urlOfProvider() throws {
    let given = try #require(URL(string: "https://id.contoso.com/connect/token?v=2"))
    let authority = try Authority("https://id.contoso.com", tokenEndpoint: given)
    let request = TokenRequest(authority: authority, clientID: "client", scopes: [], refreshToken: "rt")
    #expect(try request.url == given)
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try self.request("https://id.contoso.com").url
    }
  }

  @Test("A given URL stays for the tenant of an account")
  func urlForTenant() throws {
    let given = try #require(URL(string: "https://proxy.contoso.com/token"))
    let authority = try Authority("https://login.microsoftonline.com/common", tokenEndpoint: given)
    #expect(authority.forTenant("contoso.com").tokenEndpoint == given)
  }

  @Test(
    "A given URL to which no token may be sent is invalidArgument",
    arguments: [
      "http://id.contoso.com/token", "https://user@id.contoso.com/token", "https://id.contoso.com/token#x",
      "ftp://id.contoso.com", "/token", "token",
    ])
  func insecureURL(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(!Authority.isSecure(url))
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try Authority("https://id.contoso.com", tokenEndpoint: url)
    }
  }

  @Test("A given URL may be http on this machine")
  func loopbackURL() throws {
    let url = try #require(URL(string: "http://127.0.0.1:9000/token"))
    #expect(try Authority("http://127.0.0.1:9000", tokenEndpoint: url).tokenEndpoint == url)
    #expect(Authority.isSecure(url))
  }

  @Test("Fields of the caller's own are encoded as the request's are, in order")
  func ownFields() {
    let fields = [(name: "code", value: "a+b"), (name: "é", value: ""), (name: "code", value: "&")]
    #expect(TokenRequest.encode(fields) == "code=a%2Bb&%C3%A9=&code=%26")
    #expect(TokenRequest.encode([]) == "")
  }

  @Test(
    "Values are percent-encoded by bytes except RFC 3986's unreserved characters",
    arguments: [
      ("azAZ09-._~", "azAZ09-._~"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"),
      ("100%", "100%25"), ("é", "%C3%A9"), ("💥", "%F0%9F%92%A5"), ("\r\n\0", "%0D%0A%00"),
      ("/?#", "%2F%3F%23"),
      ("*", "%2A"), ("", ""),
    ])
  func encoding(value: String, expected: String) throws {
    let request = try request("https://id.contoso.com", client: value, scopes: [], token: value)
    #expect(
      request.formBody == "grant_type=refresh_token&client_id=\(expected)&refresh_token=\(expected)")
  }
}
