// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Authority")
struct AuthorityTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let url: String
    let kind: Authority.Kind
    let realm: String
    let environment: String

    init(_ url: String, _ kind: Authority.Kind, _ realm: String, _ environment: String) {
      self.url = url
      self.kind = kind
      self.realm = realm
      self.environment = environment
    }

    var testDescription: String { url }
  }

  private static let table = [
    Row("https://login.microsoftonline.com/common", .aad, "common", "login.microsoftonline.com"),
    Row("https://login.microsoftonline.com/common/", .aad, "common", "login.microsoftonline.com"),
    Row("https://login.microsoftonline.com:443/common", .aad, "common", "login.microsoftonline.com"),
    Row("https://LOGIN.microsoftonline.com/Contoso.com", .aad, "Contoso.com", "login.microsoftonline.com"),
    Row("https://login.microsoftonline.com", .aad, "", "login.microsoftonline.com"),
    Row(
      "https://login.microsoftonline.com/contoso.com/v2.0", .aad, "contoso.com", "login.microsoftonline.com"),
    Row("https://login.usgovcloudapi.net/common", .aad, "common", "login.microsoftonline.us"),
    Row("https://contoso.ciamlogin.com/contoso", .aad, "contoso", "contoso.ciamlogin.com"),
    Row(
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin", .b2c,
      "contoso.onmicrosoft.com", "contoso.b2clogin.com"),
    Row(
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin", .b2c, "contoso.onmicrosoft.com",
      "contoso.b2clogin.com"),
    Row("https://id.contoso.com/TFP/contoso/policy", .b2c, "contoso", "id.contoso.com"),
    Row("https://adfs.contoso.com/adfs", .adfs, "adfs", "adfs.contoso.com"),
    Row("https://adfs.contoso.com/ADFS/", .adfs, "ADFS", "adfs.contoso.com"),
    Row("https://id.contoso.com", .openID, "", "https://id.contoso.com"),
    Row("https://id.contoso.com/", .openID, "", "https://id.contoso.com"),
    Row(
      "https://id.contoso.com/realms/staff", .openID, "realms/staff", "https://id.contoso.com/realms/staff"),
    Row(
      "https://id.contoso.com:8443/realms/staff/", .openID, "realms/staff",
      "https://id.contoso.com:8443/realms/staff"),
    Row("https://ID.Contoso.com", .openID, "", "https://id.contoso.com"),
    Row(
      "https://login.microsoftonline.com.evil.com/common", .openID, "common",
      "https://login.microsoftonline.com.evil.com/common"),
    Row("https://evilb2clogin.com/x", .openID, "x", "https://evilb2clogin.com/x"),
    Row(
      "http://localhost:8080/realms/staff", .openID, "realms/staff", "http://localhost:8080/realms/staff"),
    Row("http://127.0.0.1:9000", .openID, "", "http://127.0.0.1:9000"),
  ]

  @Test("The URL states the kind, the tenant and the environment", arguments: table)
  func reads(_ row: Row) throws {
    let authority = try Authority(row.url)
    #expect(authority.kind == row.kind)
    #expect(authority.realm == row.realm)
    #expect(authority.environment == row.environment)
  }

  @Test(
    "common, organizations, consumers and no path name no tenant, at Azure AD only",
    arguments: [
      ("https://login.microsoftonline.com/common", true),
      ("https://login.microsoftonline.com/Organizations", true),
      ("https://login.microsoftonline.com/consumers", true),
      ("https://login.microsoftonline.com", true),
      ("https://login.microsoftonline.com/contoso.com", false),
      ("https://id.contoso.com/common", false),
      ("https://id.contoso.com", false),
      ("https://adfs.contoso.com/adfs", false),
    ])
  func tenantless(url: String, expected: Bool) throws {
    #expect(try Authority(url).isTenantless == expected)
  }

  @Test(
    "A URL that is not absolute https, or has more than an authority's parts, is refused",
    arguments: [
      "", " ", "login.microsoftonline.com/common", "/common", "https:", "https://", "https:///common",
      "http://login.microsoftonline.com/common", "http://localhost.evil.com", "http://127.0.0.1.evil.com",
      "ftp://id.contoso.com", "file:///etc/passwd", "https://user@id.contoso.com",
      "https://user:password@id.contoso.com", "https://id.contoso.com?x=1",
      "https://id.contoso.com/realm#part",
      "mailto:anna@contoso.com", "javascript:alert(1)", "https://id.contoso.com:port",
    ])
  func refused(_ url: String) throws {
    let error = try #require(throws: SecretStoreError.self) { try Authority(url) }
    #expect(error.code == .invalidArgument)
    #expect(!error.detail.contains("password"))
  }

  @Test(
    "The host includes the port unless it is the scheme's default",
    arguments: [
      ("https://ID.contoso.com/red", "id.contoso.com"), ("https://id.contoso.com:443/red", "id.contoso.com"),
      ("https://id.contoso.com:80/red", "id.contoso.com:80"), ("http://localhost:80/red", "localhost"),
      ("http://localhost:443/red", "localhost:443"), ("http://localhost:8080/red", "localhost:8080"),
    ]
  )
  func host(url: String, host: String) throws { #expect(try Authority(url).host == host) }

  @Test("http is accepted for loopback hosts", arguments: ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
  func loopback(_ host: String) throws {
    #expect(try Authority("http://\(host):8080/realm").kind == .openID)
  }
}
