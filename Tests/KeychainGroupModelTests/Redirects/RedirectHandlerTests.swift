// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Redirect handler")
struct RedirectHandlerTests {
  private let redirects = RedirectHandler()
  private let mail: AppIdentifier
  private let uri: RedirectURI

  init() throws {
    mail = try AppIdentifier("com.contoso.mail")
    uri = try RedirectURI(defaultFor: mail)
  }

  private func handle(_ url: String, for app: AppIdentifier? = nil) async throws -> AuthorizationResponse {
    try await redirects.handleRedirect(url, for: app ?? mail)
  }

  @Test("A response to a sign-in has the code, the redirect URI and the provider's other parameters")
  func response() async throws {
    let state = await redirects.issueState(for: uri)
    let response = try await handle(
      "\(uri)?code=0.A%2Bb+c&state=\(state)&iss=https%3A%2F%2Fid.contoso.com&empty=&flag")
    #expect(response.code == "0.A+b c")
    #expect(response.redirectURI == uri)
    #expect(response["iss"] == "https://id.contoso.com")
    #expect(response["empty"] == "" && response["flag"] == "" && response["absent"] == nil)
  }

  @Test("A state is 43 URL-safe characters and unique")
  func states() async {
    var states: Set<String> = []
    for _ in 0..<200 { states.insert(await redirects.issueState(for: uri)) }
    #expect(states.count == 200)
    for state in states {
      #expect(state.utf8.count == 43)
      #expect(state.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
    }
    #expect(Set(states.joined()).count == 64, "every character of the alphabet turns up")
  }

  @Test("A state is valid once, whether the provider grants or denies the sign-in")
  func once() async throws {
    for outcome in ["code=c", "error=access_denied"] {
      let state = await redirects.issueState(for: uri)
      let url = "msauth.com.contoso.mail://auth?\(outcome)&state=\(state)"
      _ = try? await handle(url)
      await expectProblem(.noSignIn) { _ = try await handle(url) }
      let other = await redirects.issueState(for: uri)
      await expectProblem(.unknownState) { _ = try await handle(url) }
      await redirects.withdraw(other)
    }
  }

  @Test("A refused URL leaves the sign-in pending")
  func pending() async throws {
    let state = await redirects.issueState(for: uri)
    for url in [
      "msauth.com.contoso.mail://auth?code=forged&state=\(state)x", "msauth.com.contoso.mail://auth?code=c",
      "msauth.com.contoso.mail://auth?state=\(state)", "msauth.com.contoso.mail://auth?state=\(state)&code=",
      "msauth.com.contoso.mail://auth?state=\(state)&code=c&error=e",
      "msauth.com.contoso.mail://auth?state=\(state)&code=c&code=d",
      "msauth.com.contoso.mail://auth?state=\(state)&code=c#f",
    ] {
      await #expect(throws: SecretStoreError(.invalidRedirectURI, "")) { try await handle(url) }
    }
    #expect(try await handle("msauth.com.contoso.mail://auth?code=c&state=\(state)").code == "c")
  }

  @Test("A cancelled sign-in, or one displaced by thirty-two later ones, is no longer pending")
  func withdrawn() async throws {
    let state = await redirects.issueState(for: uri)
    await redirects.withdraw(state)
    await expectProblem(.noSignIn) { _ = try await handle("\(uri)?code=c&state=\(state)") }
    let first = await redirects.issueState(for: uri)
    var last = first
    for _ in 0..<RedirectHandler.maximumSignIns { last = await redirects.issueState(for: uri) }
    await expectProblem(.unknownState) { _ = try await handle("\(uri)?code=c&state=\(first)") }
    #expect(try await handle("\(uri)?code=c&state=\(last)").code == "c")
  }

  @Test("One app's response is not another's, although they share a handler and a client ID")
  func rightApp() async throws {
    let calendar = try AppIdentifier("com.contoso.calendar")
    let mails = await redirects.issueState(for: uri)
    await expectProblem(.noSignIn) { _ = try await handle("\(uri)?code=c&state=\(mails)", for: calendar) }
    let calendars = await redirects.issueState(for: try RedirectURI(defaultFor: calendar))
    await expectProblem(.otherRedirectURI) {
      _ = try await handle("\(uri)?code=c&state=\(mails)", for: calendar)
    }
    await expectProblem(.unknownState) { _ = try await handle("\(uri)?code=c&state=\(calendars)") }
    #expect(try await handle("\(uri)?code=c&state=\(mails)").code == "c")
  }

  @Test(
    "The URL must be the redirect URI that the state was issued for",
    arguments: [
      "msauth.com.contoso.mail://other", "msauth.com.contoso.mail://auth/more",
      "msauth.com.contoso.calendar://auth",
      "https://auth", "msauth.com.contoso.mail://auth:80", "msauth.com.contoso.mail://auth.fabrikam.com",
    ])
  func rightURI(_ other: String) async throws {
    let state = await redirects.issueState(for: uri)
    await expectProblem(.otherRedirectURI) { _ = try await handle("\(other)?code=c&state=\(state)") }
  }

  @Test("Each sign-in of an app has its own redirect URI")
  func severalURIs() async throws {
    let loopback = try RedirectURI("http://127.0.0.1/mail", for: mail)
    let one = await redirects.issueState(for: uri)
    let two = await redirects.issueState(for: loopback)
    await expectProblem(.unknownState) { _ = try await handle("\(uri)?code=c&state=\(two)") }
    #expect(
      try await handle("http://127.0.0.1:40123/mail?code=c&state=\(two)").redirectURI == loopback)
    #expect(try await handle("\(uri)?code=c&state=\(one)").redirectURI == uri)
  }

  @Test(
    "Scheme, host and empty path compare in normal form; a loopback URI without a port matches any port",
    arguments: [
      ("msauth.com.contoso.mail://auth", "MSAUTH.com.contoso.Mail://AUTH/", true),
      ("https://contoso.com/mail", "https://CONTOSO.com/mail", true),
      ("https://contoso.com/mail", "https://contoso.com/Mail", false),
      ("https://contoso.com/mail", "https://contoso.com/mail/", false),
      ("http://127.0.0.1:8401/mail", "http://127.0.0.1:8401/mail", true),
      ("http://127.0.0.1:8401/mail", "http://127.0.0.1:8402/mail", false),
      ("http://127.0.0.1:8401/mail", "http://127.0.0.1/mail", false),
      ("http://localhost/mail", "http://127.0.0.1:1/mail", false),
      (
        "msauth://code/msauth.com.contoso.mail%3A%2F%2Fauth",
        "msauth://code/msauth.com.contoso.mail%3a%2f%2fauth",
        true
      ),
    ])
  func comparison(registered: String, opened: String, isSame: Bool) async throws {
    let state = await redirects.issueState(for: try RedirectURI(registered, for: mail))
    let url = "\(opened)?code=c&state=\(state)"
    if isSame {
      #expect(try await handle(url).redirectURI.text == registered)
    } else {
      await expectProblem(.otherRedirectURI) { _ = try await handle(url) }
    }
  }

  @Test("A description of the response shows none of its values")
  func redacted() async throws {
    let state = await redirects.issueState(for: uri)
    let response = try await handle("\(uri)?code=s3cr3t-code&state=\(state)&client_info=s3cr3t")
    var dumped = ""
    dump(response, to: &dumped)
    for text in ["\(response)", response.debugDescription, String(reflecting: response), dumped] {
      #expect(!text.contains("s3cr3t") && !text.contains(state))
      #expect(text.contains("msauth.com.contoso.mail"))
    }
  }
}
