// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("Redirect URI")
struct RedirectURITests {
  private let mail: AppIdentifier

  init() throws { mail = try AppIdentifier("com.contoso.Mail") }

  @Test(
    "Each form is recognized",
    arguments: [
      ("msauth.com.contoso.Mail://auth", .msal), ("msauth.com.contoso.mail://auth", .msal),
      ("MSAUTH.COM.CONTOSO.MAIL://AUTH", .msal), ("msauth.com.contoso.mail://auth/", .msal),
      ("x-suite://com.contoso.Mail", .adal), ("x-suite://com.contoso.mail/path", .adal),
      ("msauth.com.contoso.mail://com.contoso.mail", .adal),
      ("msauth.com.contoso.other://com.contoso.mail", .adal),
      ("msauth://code/msauth.com.contoso.Mail%3A%2F%2Fauth", .certificate),
      ("msauth://code/x-suite%3a%2f%2fcom.contoso.mail", .certificate),
      ("https://contoso.com/mail", .link), ("HTTPS://contoso.com", .link),
      ("https://com.contoso.mail", .link),
      ("http://127.0.0.1", .loopback), ("http://127.0.0.1:8401/mail", .loopback),
      ("http://[::1]:1/a", .loopback),
      ("http://localhost", .loopback), ("http://LocalHost:65535/", .loopback),
      ("com.contoso.mail://signed-in", .custom), ("msal00000000-0000-0000-0000-000000000001://auth", .custom),
      ("suite+v2.x://a-b_c.d/e%20f/../g", .custom), ("x-msauth-suite://com.contoso.calendar", .custom),
    ] as [(String, RedirectURI.Form)])
  func forms(text: String, form: RedirectURI.Form) throws {
    let uri = try RedirectURI(text, for: mail)
    #expect(uri.form == form)
    #expect(uri.text == text && uri.description == text, "the value remains verbatim")
    #expect(uri.app == mail)
    #expect(uri.isBrokerCapable == [.msal, .adal, .certificate].contains(form))
    #expect(uri.needsRegistration == ![.link, .loopback].contains(form))
    #expect(uri.scheme == uri.scheme.lowercased())
    #expect(uri.registrationLine == "MimeType=x-scheme-handler/\(uri.scheme);")
  }

  @Test("The address for native clients is the broker's, and no other web address is")
  func nativeClient() throws {
    #expect(RedirectURI.nativeClient == "https://login.microsoftonline.com/common/oauth2/nativeclient")
    let uri = try RedirectURI(RedirectURI.nativeClient, for: mail)
    #expect(uri.isBrokerCapable && uri.form == .link && !uri.needsRegistration)
    for other in [
      "\(RedirectURI.nativeClient)/", "https://login.microsoftonline.com", "https://contoso.com/mail",
    ] {
      #expect(try RedirectURI(other, for: mail).brokerProblem?.rule == .webScheme)
    }
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let text: String
    let rule: RedirectProblem.Rule

    init(_ text: String, _ rule: RedirectProblem.Rule) {
      self.text = text
      self.rule = rule
    }

    var testDescription: String { String(text.prefix(60)) }
  }

  private static let own = "msauth.com.contoso.mail://auth"

  private static let bad = [
    Bad("", .empty), Bad(" ", .illegalCharacter), Bad(" \(own)", .illegalCharacter),
    Bad("\(own)\n", .illegalCharacter),
    Bad("\(own)\0", .illegalCharacter), Bad("msauth.com.contoso.mail://auth\u{7F}", .illegalCharacter),
    Bad("msauth.com.contoso.mail://aúth", .illegalCharacter),
    Bad("msauth.com.contоso.mail://auth", .illegalCharacter),
    Bad("suite://host/\u{202E}", .illegalCharacter), Bad("suite://host/<a>", .illegalCharacter),
    Bad(#"suite:\\host"#, .illegalCharacter), Bad("suite://host/{a}", .illegalCharacter),
    Bad("suite://" + String(repeating: "h", count: 2_041), .tooLong),
    Bad("suite://h/" + String(repeating: "p", count: 1_000_000), .tooLong),
    Bad("\(own)#", .fragment), Bad("\(own)#code", .fragment), Bad("https://contoso.com/#top", .fragment),
    Bad("suite://host/%", .malformedEscape), Bad("suite://host/%2", .malformedEscape),
    Bad("suite://host/%zz", .malformedEscape), Bad("suite://host/%%20", .malformedEscape),
    Bad("auth", .noScheme), Bad("//auth", .noScheme), Bad("/path:with-colon", .noScheme),
    Bad("://auth", .noScheme),
    Bad("?a:b", .noScheme), Bad("com.contoso.mail", .noScheme),
    Bad("1suite://host", .malformedScheme), Bad("my_suite://host", .malformedScheme),
    Bad(".suite://host", .malformedScheme), Bad("su%69te://host", .malformedScheme),
    Bad("urn:ietf:wg:oauth:2.0:oob", .outOfBand), Bad("URN:IETF:wg:oauth:2.0:OOB", .outOfBand),
    Bad("file://com.contoso.mail", .reservedScheme), Bad("javascript:alert(1)", .reservedScheme),
    Bad("data:text/html,x", .reservedScheme), Bad("mailto:ada@contoso.com", .reservedScheme),
    Bad("FTP://com.contoso.mail", .reservedScheme),
    Bad("\(own)?", .query), Bad("\(own)?tenant=1", .query), Bad("https://contoso.com/?a=b", .query),
    Bad("suite:host", .noHost), Bad("suite:/host", .noHost), Bad("suite://", .noHost),
    Bad("suite:///auth", .noHost),
    Bad("suite://:80", .noHost), Bad("urn:ietf:wg:oauth:2.0:oob:auto", .noHost),
    Bad("https:contoso.com", .noHost),
    Bad("suite://a%62c", .malformedHost), Bad("suite://a,b", .malformedHost),
    Bad("suite://[::2]", .malformedHost),
    Bad("suite://[::1]x", .malformedHost), Bad("suite://a*", .malformedHost),
    Bad("suite://ada@host", .userInfo), Bad("https://contoso.com@fabrikam.com/", .userInfo),
    Bad("msauth.com.contoso.mail://auth@fabrikam.com", .userInfo), Bad("suite://ada:secret@host", .userInfo),
    Bad("\(own):80", .port), Bad("https://contoso.com:8443/", .port),
    Bad("x-suite://com.contoso.mail:1", .port),
    Bad("http://127.0.0.1:", .port), Bad("http://127.0.0.1:0", .port), Bad("http://127.0.0.1:65536", .port),
    Bad("http://127.0.0.1:000080", .port), Bad("http://127.0.0.1:+80", .port),
    Bad("http://127.0.0.1:8a", .port),
    Bad("http://[::1]:", .port), Bad("http://127.0.0.1:80:80", .port),
    Bad("http://contoso.com/mail", .plainHTTP), Bad("http://com.contoso.mail", .plainHTTP),
    Bad("http://127.0.0.1.contoso.com/", .plainHTTP), Bad("http://127.0.0.2/", .plainHTTP),
    Bad("msauth.com.contoso.calendar://auth", .otherAppsScheme),
    Bad("msauth.com.contoso.mail.more://auth", .otherAppsScheme),
    Bad("msauth.com.contoso://auth", .otherAppsScheme),
    Bad("msauth://auth", .otherAppsScheme), Bad("msauthv2://broker", .otherAppsScheme),
    Bad("msauth.com.contoso.mail://other", .noAuthHost),
    Bad("msauth.com.contoso.mail://auth/more", .noAuthHost),
    Bad("msauth.com.contoso.mail://com.contoso.calendar", .noAuthHost),
    Bad("msauth://code", .certificateForm), Bad("msauth://code/", .certificateForm),
    Bad("msauth://code/msauth.com.contoso.mail://auth", .certificateForm),
    Bad("msauth://code/msauth.com.contoso.mail%3A//auth", .certificateForm),
    Bad("msauth://code/%6Dsauth.com.contoso.mail%3A%2F%2Fauth", .certificateForm),
    Bad("msauth://code/msauth.com.contoso.calendar%3A%2F%2Fauth", .certificateForm),
    Bad("msauth://code/https%3A%2F%2Fcontoso.com", .certificateForm),
    Bad("msauth://code/msauth%253A%252F%252Fauth", .certificateForm),
    Bad("msauth://code/%FF", .certificateForm),
    Bad("msauth://code/msauth.com.contoso.mail%3A%2F%2Fauth/", .certificateForm),
  ]

  @Test("A URI that is no redirect URI of the app is refused with the violated rule", arguments: bad)
  func refusals(_ bad: Bad) async {
    await expectProblem(bad.rule) { _ = try RedirectURI(bad.text, for: mail) }
  }

  @Test("Each rule has its own message")
  func explanations() {
    var words: [RedirectProblem.Rule: Set<String>] = [:]
    for bad in Self.bad {
      do {
        _ = try RedirectURI(bad.text, for: mail)
      } catch {
        words[bad.rule, default: []].insert(error.detail.replacing(/msauth[a-z0-9.]*/, with: ""))
      }
    }
    #expect(words.values.allSatisfy { $0.count == 1 })
    #expect(Set(words.values).count == words.count)
    #expect(Set(RedirectProblem.Rule.all.map(\.description)).count == RedirectProblem.Rule.all.count)
  }

  @Test("A URI of exactly the maximum length is accepted")
  func limit() throws {
    let text = "suite://h/" + String(repeating: "p", count: RedirectURI.maximumBytes - 10)
    #expect(try RedirectURI(text, for: mail).text.utf8.count == 2_048)
  }

  @Test("An app ID with an underscore has no default redirect URI, since no scheme can contain one")
  func underscore() async throws {
    let app = try AppIdentifier("org.example.my_app")
    await expectProblem(.malformedScheme) { _ = try RedirectURI(defaultFor: app) }
    let error = #expect(throws: SecretStoreError.self) { try RedirectURI(defaultFor: app) }
    #expect(error?.detail.contains("org.example.my_app") == true)
    #expect(try RedirectURI("x-suite://org.example.my_app", for: app).form == .adal)
  }
}
