// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Client registration")
struct ClientRegistrationTests {
  private func uri(_ text: String, _ app: String) throws -> RedirectURI {
    try RedirectURI(text, for: AppIdentifier(app))
  }

  @Test(
    "Two apps whose URIs a provider cannot distinguish are refused",
    arguments: [
      ("https://contoso.com/a", "https://contoso.com/a"), ("https://contoso.com/a", "HTTPS://Contoso.COM/a"),
      ("https://contoso.com", "https://contoso.com/"), ("suite.x://one", "SUITE.X://ONE"),
      ("http://127.0.0.1/a", "http://127.0.0.1/a"), ("http://127.0.0.1:1/a", "http://127.0.0.1:2/a"),
      ("http://127.0.0.1/a", "http://127.0.0.1:2/a"),
    ])
  func same(one: String, two: String) async throws {
    await expectProblem(.sharedByApps) {
      _ = try ClientRegistration(
        clientID: "c", redirectURIs: [uri(one, "com.contoso.mail"), uri(two, "com.contoso.calendar")])
    }
    let error = #expect(throws: SecretStoreError.self) {
      try ClientRegistration(
        clientID: "c", redirectURIs: [uri(one, "com.contoso.mail"), uri(two, "com.contoso.calendar")])
    }
    #expect(error?.detail.contains("com.contoso.mail and com.contoso.calendar") == true)
  }

  @Test(
    "Two apps with different URIs are accepted",
    arguments: [
      ("https://contoso.com/a", "https://contoso.com/A"), ("https://contoso.com/a", "https://contoso.com/a/"),
      ("suite.x://one", "suite.y://one"), ("suite.x://one", "suite.x://two"),
      ("http://127.0.0.1:1/a", "http://127.0.0.1:1/b"),
    ])
  func different(one: String, two: String) throws {
    let registration = try ClientRegistration(
      clientID: "c", redirectURIs: [uri(one, "com.contoso.mail"), uri(two, "com.contoso.calendar")])
    #expect(try registration.redirectURIs(of: AppIdentifier("com.contoso.mail")).map(\.text) == [one])
  }

  @Test("One app may have several URIs, also the same one twice")
  func several() throws {
    let uris = try ["msauth.com.contoso.mail://auth", "http://127.0.0.1/mail", "http://127.0.0.1/mail"].map {
      try uri($0, "com.contoso.mail")
    }
    #expect(try ClientRegistration(clientID: "c", redirectURIs: uris).redirectURIs == uris)
  }

  @Test("The third of three is compared with the first")
  func three() async throws {
    await expectProblem(.sharedByApps) {
      _ = try ClientRegistration(
        clientID: "c",
        redirectURIs: [
          uri("suite.x://one", "a"), uri("suite.x://two", "b"), uri("suite.x://one", "c"),
        ])
    }
  }

  @Test("A blank client ID is refused", arguments: ["", " ", "\t\n"])
  func blank(_ clientID: String) {
    #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try ClientRegistration(clientID: clientID, redirectURIs: [])
    }
  }
}
