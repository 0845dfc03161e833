// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Issuer")
struct IssuerTests {
  @Test(
    "Other spellings of an issuer are equal",
    arguments: [
      ("https://id.contoso.com", "https://id.contoso.com/"),
      ("https://id.contoso.com", "HTTPS://ID.Contoso.COM"),
      ("https://id.contoso.com", "https://id.contoso.com:443"),
      ("https://id.contoso.com", "https://id.contoso.com:"),
      ("https://id.contoso.com:8443/red", "https://id.contoso.com:08443/red/"),
      ("https://id.contoso.com/red", "https://id.contoso.com/red/"),
      ("https://id.contoso.com/red", "https://id.contoso.com/red//"),
      ("https://id.contoso.com/red", "https://id.contoso.com/%72%65d"),
      ("https://id.contoso.com/a~b", "https://id.contoso.com/a%7Eb"),
      ("https://id.contoso.com/a%2Fb", "https://id.contoso.com/a%2fb"),
      ("http://localhost/red", "http://LOCALHOST:80/red"),
      ("http://[::1]:8080/red", "HTTP://[::1]:8080/red/"),
    ])
  func same(one: String, other: String) throws {
    let issuer = try #require(Issuer(one))
    #expect(Issuer(other) == issuer)
    #expect(issuer.text == one)
    #expect(Issuer(issuer.text) == issuer)
    #expect(try Authority(other).environment == one)
    #expect(CloudEnvironment.canonical(other) == one)
    #expect(EnvironmentAliases.shipped.canonical(other) == one)
  }

  static let others = [
    "https://id.contoso.com/blue", "https://id.contoso.com/Red", "https://id.contoso.com",
    "https://id.contoso.com/red/x",
    "https://id.contoso.com/a//red", "https://id.contoso.com:8443/red", "https://id.contoso.com:80/red",
    "https://ID2.contoso.com/red", "https://id.contoso.com/re%64%2F", "https://id.contoso.com/red;v=1",
  ]

  @Test("Issuers differ by scheme, host, port or path", arguments: others)
  func different(_ other: String) throws {
    let issuer = try #require(Issuer("https://id.contoso.com/red"))
    let different = try #require(Issuer(other))
    #expect(different != issuer)
  }

  @Test("Issuers of a loopback host differ by their schemes")
  func schemes() throws {
    let clear = try #require(Issuer("http://localhost/red"))
    let secure = try #require(Issuer("https://localhost/red"))
    #expect(clear != secure)
  }

  @Test(
    "A malformed issuer is refused, and as an authority, too",
    arguments: [
      "http://id.contoso.com", "https://id.contoso.com/red/../blue", "https://id.contoso.com/red/%2e%2E/blue",
      "https://id.contoso.com/./red", "https://id.contoso.com?x", "https://id.contoso.com/red#x",
      "https://ada@id.contoso.com/red", "https://id.contoso.com:0/red", "https://id.contoso.com:65536/red",
      "https:///red", "https://", "https://id%2Econtoso.com/red", "https://[::1/red", "https://[]/red",
      "https://[abc/red", "https://abc]/red",
      "https://id.contoso.com/\(String(repeating: "a", count: 1024))",
    ])
  func refused(_ text: String) {
    #expect(Issuer(text) == nil)
    #expect(throws: SecretStoreError(.invalidArgument, "")) { try Authority(text) }
  }

  @Test(
    "An issuer that only a peer's cache could name is refused",
    arguments: [
      "", "id.contoso.com", "id.contoso.com/*", "//id.contoso.com", "ftp://id.contoso.com",
      "https://id.contoso.com/r d",
      "https://id.contoso.com/\u{1B}[2J", "https://id.contoso.com/r%", "https://id.contoso.com/r%4",
      "https://id.contoso.com/%zz",
      "https://id.contoso.com/é", "https://ïd.contoso.com", "https://id.contoso.com\\@evil.com",
      "https://id.contoso.com/\n",
      " https://id.contoso.com", "https://id.contoso.com/{x}",
    ])
  func refusedText(_ text: String) { #expect(Issuer(text) == nil) }

  @Test("Microsoft's authorities have no issuer", arguments: StoredFormTests.signIns)
  func microsoftHosts(_ signIn: StoredFormTests.SignIn) throws {
    let authority = try Authority(signIn.authority, kind: signIn.kind)
    #expect(authority.issuer == nil)
    #expect(!authority.environment.contains("/"))
  }

  @Test("An issuer has at most 1,024 bytes")
  func length() {
    let host = "https://id.contoso.com/"
    let path = String(repeating: "a", count: 1024 - host.utf8.count)
    #expect(Issuer(host + path) != nil)
    #expect(Issuer(host + path + "a") == nil)
  }
}
