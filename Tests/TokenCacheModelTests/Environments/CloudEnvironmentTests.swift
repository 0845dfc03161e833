// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

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
    ]
  )
  func known(host: String, canonical: String) {
    #expect(CloudEnvironment.canonical(host) == canonical)
    #expect(CloudEnvironment.isKnown(host))
    #expect(CloudEnvironment.areSame(host, canonical))
  }

  @Test(
    "A host outside the clouds is itself, in lower case",
    arguments: [
      "id.contoso.com", "contoso.b2clogin.com", "login.microsoftonline.com.evil.com",
      "evil-login.microsoftonline.com", "login.microsoftonline.com:8443", "",
    ]
  )
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
}
