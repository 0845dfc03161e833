// SPDX-License-Identifier: MIT

import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Cloud environment")
struct CloudEnvironmentTests {
  @Test(
    "Each cloud has one canonical host",
    arguments: [
      ("login.windows.net", "login.windows.net"), ("login.microsoftonline.com", "login.windows.net"),
      ("login.microsoft.com", "login.windows.net"), ("sts.windows.net", "login.windows.net"),
      ("LOGIN.MicrosoftOnline.com", "login.windows.net"),
      ("login.usgovcloudapi.net", "login.microsoftonline.us"),
      ("login.microsoftonline.us", "login.microsoftonline.us"),
      ("login.chinacloudapi.cn", "login.partner.microsoftonline.cn"),
      ("login.partner.microsoftonline.cn", "login.partner.microsoftonline.cn"),
      ("login.microsoftonline.de", "login.microsoftonline.de"),
      ("login-us.microsoftonline.com", "login-us.microsoftonline.com"),
      ("login.sovcloud-identity.fr", "login.sovcloud-identity.fr"),
    ])
  func known(host: String, canonical: String) {
    #expect(CloudEnvironment.canonical(host) == canonical)
    #expect(CloudEnvironment.isKnown(host))
    #expect(CloudEnvironment.areSame(host, canonical))
  }

  @Test(
    "A host outside the clouds is its own environment in lower case",
    arguments: [
      "id.contoso.com", "contoso.b2clogin.com", "login.microsoftonline.com.evil.com",
      "evil-login.microsoftonline.com", "login.microsoftonline.com:8443", "",
    ])
  func unknown(_ host: String) {
    #expect(CloudEnvironment.canonical(host.uppercased()) == host)
    #expect(!CloudEnvironment.isKnown(host))
    #expect(!CloudEnvironment.areSame(host, "login.windows.net"))
  }

  @Test("Different clouds are different environments")
  func clouds() {
    #expect(!CloudEnvironment.areSame("login.microsoftonline.com", "login.microsoftonline.us"))
    #expect(!CloudEnvironment.areSame("login.microsoftonline.com", "login-us.microsoftonline.com"))
  }

  @Test(
    "The host alone identifies Microsoft's environments, whatever the URL's spelling",
    arguments: [
      ("https://login.windows.net/contoso.com", "login.windows.net"),
      ("https://LOGIN.microsoftonline.com:443/common/v2.0?a=b", "login.microsoftonline.com"),
      ("https://contoso.b2clogin.com/contoso.com/policy", "contoso.b2clogin.com"),
      ("contoso.ciamlogin.com./", "contoso.ciamlogin.com"), ("sts.windows.net", "sts.windows.net"),
    ])
  func spelt(_ spelling: String, host: String) { #expect(CloudEnvironment.named(spelling) == host) }

  @Test(
    "Any other text is no host of Microsoft's",
    arguments: [
      "https://evil.com/login.windows.net", "https://login.windows.net@evil.com/",
      "https://evil.com?a.b2clogin.com",
      "https://evil.com#a.ciamlogin.com/", "http://login.windows.net/contoso.com",
      "https://login.windows.net:80/",
      "https://id.contoso.com/login.windows.net", "https://", "/", ":443", ".",
    ])
  func foreign(_ text: String) {
    #expect(CloudEnvironment.named(text) == text)
    #expect(!CloudEnvironment.isMicrosoftHost(text))
  }
}
