// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Redirect registration")
struct RedirectRegistrationTests {
  private let mail: AppIdentifier

  init() throws { mail = try AppIdentifier("com.contoso.mail") }

  private func chosen(_ text: String? = nil, _ apps: [String: [String]]) throws -> RedirectURI {
    try RedirectURI(text, for: mail, clientID: "b5c2", registeredWith: FixedHandlers(apps))
  }

  @Test("A custom URI whose scheme is registered for the app is accepted, with and without a broker")
  func registered() throws {
    let uri = try chosen("myapp://authtest", ["myapp": [mail.name]])
    #expect(uri.text == "myapp://authtest" && !uri.isBrokerCapable)
    #expect(try chosen("myscheme://com.contoso.mail", ["myscheme": [mail.name]]).isBrokerCapable)
    #expect(
      try chosen("msauth.com.contoso.mail://auth", ["msauth.com.contoso.mail": [mail.name]]).isBrokerCapable)
  }

  @Test("A scheme that is not registered, or only for another app, is refused")
  func notRegistered() async {
    await expectProblem(.schemeNotRegistered) {
      _ = try chosen("notregistered://com.contoso.mail", ["myscheme": [mail.name]])
    }
    await expectProblem(.schemeNotRegistered) { _ = try chosen("myapp://a", ["myapp": ["com.fabrikam.spy"]]) }
    await expectProblem(.schemeNotRegistered) { _ = try chosen("myapp://a", ["MYAPP": [mail.name]]) }
  }

  @Test("The scheme is looked up in lower case, and the line to add is in lower case")
  func lowerCase() throws {
    let app = try AppIdentifier("com.contoso.Mail")
    let uri = try RedirectURI(defaultFor: app)
    #expect(uri.text == "msauth.com.contoso.Mail://auth")
    #expect(uri.registrationLine == "MimeType=x-scheme-handler/msauth.com.contoso.mail;")
    try uri.requireRegistered(with: FixedHandlers(["msauth.com.contoso.mail": ["com.contoso.Mail"]]))
  }

  @Test("A scheme that the desktop opens with another app is refused with that app's name")
  func opensAnother() async throws {
    let apps = ["myapp": ["com.fabrikam.spy", mail.name]]
    await expectProblem(.schemeOpensAnotherApp) { _ = try chosen("myapp://a", apps) }
    let error = #expect(throws: SecretStoreError.self) { try chosen("myapp://a", apps) }
    #expect(error?.detail.contains("com.fabrikam.spy") == true)
    #expect(
      error?.detail.contains("xdg-mime default com.contoso.mail.desktop x-scheme-handler/myapp") == true)
  }

  @Test("A file name that is no app ID is not shown")
  func invalidName() throws {
    let apps = ["myapp": ["\u{1B}[31mspy", mail.name]]
    let error = #expect(throws: SecretStoreError.self) { try chosen("myapp://a", apps) }
    #expect(error?.detail.contains("another app") == true)
    #expect(error?.detail.contains("\u{1B}") == false)
  }

  @Test("The msauth scheme of the certificate form must be registered, too")
  func certificate() async throws {
    let text = "msauth://code/msauth.com.contoso.mail%3A%2F%2Fauth"
    await expectProblem(.schemeNotRegistered) {
      _ = try chosen(text, ["msauth.com.contoso.mail": [mail.name]])
    }
    #expect(try chosen(text, ["msauth": [mail.name]]).form == .certificate)
  }

  @Test("Web and loopback addresses need no registration")
  func web() throws {
    #expect(try chosen("https://contoso.com/mail", [:]).form == .link)
    #expect(try chosen("http://127.0.0.1/mail", [:]).form == .loopback)
  }

  @Test("Without a stated URI the default is used if its scheme is registered")
  func standard() throws {
    let both = ["msauth.com.contoso.mail": [mail.name], "msalb5c2": [mail.name]]
    #expect(try chosen(nil, both).text == "msauth.com.contoso.mail://auth")
  }

  @Test("If only the client ID's scheme is registered, msal<client id>://auth is the default")
  func clientScheme() throws {
    let uri = try chosen(nil, ["msalb5c2": [mail.name]])
    #expect(uri.text == "msalb5c2://auth")
    #expect(!uri.isBrokerCapable)
  }

  @Test("If neither scheme is registered, the error names the default's scheme")
  func neither() throws {
    let error = #expect(throws: SecretStoreError.self) { try chosen(nil, ["msalb5c2": ["com.fabrikam.spy"]]) }
    #expect((error?.underlying as? RedirectProblem)?.rule == .schemeNotRegistered)
    #expect(error?.detail.contains("x-scheme-handler/msauth.com.contoso.mail;") == true)
  }
}
