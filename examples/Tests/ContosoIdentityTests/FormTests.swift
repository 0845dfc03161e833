// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@testable import ContosoIdentity

@Suite("Forms and loopback redirects")
struct FormTests {
  @Test("Every character except the unreserved ones is escaped")
  func escapes() {
    let form = Form(fields: ["scope": "openid a+b", "redirect_uri": "http://127.0.0.1:1/é&=~"])
    #expect(form.encoded == "scope=openid%20a%2Bb&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2F%C3%A9%26%3D~")
  }

  @Test("An endpoint's own query remains")
  func keepsQuery() throws {
    let plain = try #require(URL(string: "https://id.contoso.com/p"))
    let busy = try #require(URL(string: "https://id.contoso.com/p?x=%26"))
    let form = Form(fields: ["a": "1"])
    #expect(form.appended(to: plain).absoluteString == "https://id.contoso.com/p?a=1")
    #expect(form.appended(to: busy).absoluteString == "https://id.contoso.com/p?x=%26&a=1")
  }

  @Test("A plus sign is a space, an escaped one is itself, and the first of two fields counts")
  func decodes() {
    #expect(Form.decode("a=1+2%2B3&a=4&b&=c&d==") == ["a": "1 2+3", "b": "", "": "c", "d": "="])
    #expect(Form.decode("").isEmpty)
  }

  @Test("Only a port and a path on 127.0.0.1 are a loopback redirect")
  func takesLoopback() throws {
    let redirect = try LoopbackRedirect("http://127.0.0.1:8401/com.contoso.mail")
    #expect(redirect.port == 8401)
    #expect(redirect.path == "/com.contoso.mail")
  }

  @Test(
    "Any other redirect URI is refused",
    arguments: [
      "", "http://127.0.0.1:8401", "http://127.0.0.1:8401/", "http://127.0.0.1/app", "http://127.0.0.1:0/app",
      "http://127.0.0.1:65536/app", "http://localhost:8401/app", "http://0.0.0.0:8401/app",
      "https://127.0.0.1:8401/app", "http://127.0.0.1:8401/app?x=1", "http://127.0.0.1:8401/app#x",
      "http://u@127.0.0.1:8401/app", "http://127.0.0.1:8401/:app", "http://127.0.0.1:8401/*",
      "msauth.com.contoso.mail://auth",
    ])
  func refusesOthers(_ uri: String) {
    #expect(throws: SecretStoreError(.invalidRedirectURI, "")) { try LoopbackRedirect(uri) }
  }
}
