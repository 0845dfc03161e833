// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@Suite("Refused redirects")
struct RefusedRedirectTests {
  private let redirects = RedirectHandler()
  private let mail: AppIdentifier
  private let uri: RedirectURI

  init() throws {
    mail = try AppIdentifier("com.contoso.mail")
    uri = try RedirectURI(defaultFor: mail)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let url: String
    let rule: RedirectProblem.Rule

    /// `STATE` stands for the state that was issued.
    init(_ url: String, _ rule: RedirectProblem.Rule) {
      self.url = url
      self.rule = rule
    }

    var testDescription: String { String(url.prefix(70)) }
  }

  private static let own = "msauth.com.contoso.mail://auth"

  private static let bad = [
    Bad("", .empty), Bad("nonsense", .noScheme), Bad("\(own)?code=c&state=STATE#", .fragment),
    Bad("\(own)#code=c&state=STATE", .fragment), Bad("\(own)?code=c&state=STATE\n", .illegalCharacter),
    Bad("\(own)?code=c d&state=STATE", .illegalCharacter),
    Bad("\(own)?code=\u{0}&state=STATE", .illegalCharacter),
    Bad("\(own)?code=ü&state=STATE", .illegalCharacter),
    Bad("\(own)?code=%zz&state=STATE", .malformedEscape),
    Bad("\(own)?code=c&state=STATE%", .malformedEscape), Bad("\(own)?code=%FF&state=STATE", .malformedQuery),
    Bad("\(own)?code=%C0%AF&state=STATE", .malformedQuery),
    Bad("\(own)?code=c%00&state=STATE", .malformedQuery),
    Bad("\(own)?code=c%0d%0a&state=STATE", .malformedQuery),
    Bad("\(own)?code=c%C2%85&state=STATE", .malformedQuery),
    Bad("\(own)?code=c&state=STATE&%ED%A0%80=x", .malformedQuery),
    Bad("msauth.com.contoso.mail://ada@auth?code=c&state=STATE", .userInfo),
    Bad("msauth.com.contoso.mail://auth@fabrikam.com?code=c&state=STATE", .userInfo),
    Bad("msauth.com.contoso.mail://auth:99999?code=c&state=STATE", .port),
    Bad("msauth.com.contoso.mail://%61uth?code=c&state=STATE", .malformedHost),
    Bad("msauth.com.contoso.mail:auth?code=c&state=STATE", .noHost),
    Bad(own, .noState), Bad("\(own)?", .noState), Bad("\(own)?code=c", .noState),
    Bad("\(own)?code=c&state=", .noState),
    Bad("\(own)?code=c&State=STATE", .noState), Bad("\(own)/?error=access_denied", .noState),
    Bad("\(own)?code=c&state=STATEx", .unknownState), Bad("\(own)?code=c&state=xSTATE", .unknownState),
    Bad("\(own)?code=c&state=x", .unknownState), Bad("\(own)?error=access_denied&state=x", .unknownState),
    Bad("\(own)?code=c&state=\(String(repeating: "A", count: 43))", .unknownState),
    Bad("\(own)?code=c&state=STATE&state=STATE", .repeatedParameter),
    Bad("\(own)?code=c&code=c&state=STATE", .repeatedParameter),
    Bad("\(own)?code=c&c%6Fde=d&state=STATE", .repeatedParameter),
    Bad("\(own)?code=c&state=STATE&x=1&x=2", .repeatedParameter), Bad("\(own)?state=STATE", .noCode),
    Bad("\(own)?state=STATE&code", .noCode), Bad("\(own)?state=STATE&code=", .noCode),
    Bad("\(own)?state=STATE&access_token=t", .noCode),
    Bad("\(own)?state=STATE&code=c&error=access_denied", .codeAndError),
    Bad("\(own)?state=STATE&code=&error=", .codeAndError),
  ]

  @Test("A URL that matches no sign-in is refused with the violated rule", arguments: bad)
  func refusals(_ bad: Bad) async {
    let state = await redirects.issueState(for: uri)
    let url = bad.url.replacing("STATE", with: state)
    await expectProblem(bad.rule) { _ = try await redirects.handleRedirect(url, for: mail) }
  }

  @Test("A malformed escape is refused and a bar is passed on, where Foundation changes or refuses both")
  func foundation() async throws {
    let malformed = "\(Self.own)?code=%zz"
    #expect(URL(string: malformed)?.absoluteString == "\(Self.own)?code=%25zz")
    let valid = "\(Self.own)?code=a|b"
    #expect(URL(string: valid)?.absoluteString == "\(Self.own)?code=a%7Cb")
    #expect(URL(string: valid, encodingInvalidCharacters: false) == nil)
    let state = await redirects.issueState(for: uri)
    await expectProblem(.malformedEscape) {
      _ = try await redirects.handleRedirect("\(malformed)&state=\(state)", for: mail)
    }
    #expect(try await redirects.handleRedirect("\(valid)&state=\(state)", for: mail).code == "a|b")
  }

  @Test("A query of a megabyte is refused by its length, and so is one byte above the limit")
  func length() async throws {
    let state = await redirects.issueState(for: uri)
    let start = "\(Self.own)?code=c&state=\(state)&x="
    for count in [65_537 - start.utf8.count, 1_000_000] {
      let url = start + String(repeating: "x", count: count)
      await expectProblem(.tooLong) { _ = try await redirects.handleRedirect(url, for: mail) }
    }
    let longest = start + String(repeating: "x", count: 65_536 - start.utf8.count)
    #expect(try await redirects.handleRedirect(longest, for: mail).code == "c")
  }

  @Test("A URL with tens of thousands of parameters is parsed")
  func manyParameters() async throws {
    let state = await redirects.issueState(for: uri)
    let fields = (0..<9_000).map { "\($0)=" }.joined(separator: "&")
    let url = "\(Self.own)?code=c&state=\(state)&\(fields)"
    #expect(try await redirects.handleRedirect(url, for: mail).code == "c")
  }

  @Test("Without a pending sign-in every URL is refused")
  func noSignIn() async {
    await expectProblem(.noSignIn) {
      _ = try await redirects.handleRedirect("\(Self.own)?code=c&state=x", for: mail)
    }
  }

  @Test(
    "The error of a denied sign-in states the remedy",
    arguments: [
      ("access_denied", .promptDismissed), ("interaction_required", .interactionRequired),
      ("login_required", .interactionRequired), ("consent_required", .interactionRequired),
      ("account_selection_required", .interactionRequired), ("server_error", .serverError),
      ("temporarily_unavailable", .serverError), ("invalid_request", .serverError),
      ("invalid_scope", .serverError),
      ("unauthorized_client", .serverError), ("unsupported_response_type", .serverError),
      ("something_new", .serverError),
    ] as [(String, SecretStoreError.Code)])
  func mapped(code: String, expected: SecretStoreError.Code) async {
    let state = await redirects.issueState(for: uri)
    let url = "\(Self.own)?error=\(code)&error_description=AADSTS65004%3A+s3cr3t+said+no&state=\(state)"
    let error = await #expect(throws: SecretStoreError.self) {
      try await redirects.handleRedirect(url, for: mail)
    }
    #expect(error?.code == expected)
    #expect(error?.detail.contains(code) == true)
    #expect((error?.underlying as? AuthorizationError)?.code == code)
    #expect(error.map { "\($0)".contains("s3cr3t") } == false)
  }

  @Test(
    "A malformed error code is shown as unknown",
    arguments: [
      "", "s3cr3t%20x", "%1B%5B31m", "s3cr3t%22", String(repeating: "s3cr3t", count: 20), "s3cr3t%2F",
    ])
  func unknownError(_ text: String) async {
    let state = await redirects.issueState(for: uri)
    do {
      _ = try await redirects.handleRedirect("\(Self.own)?error=\(text)&state=\(state)", for: mail)
      Issue.record("nothing was refused")
    } catch {
      #expect(!"\(error)".contains("s3cr3t") && !"\(error)".contains("\u{1B}"))
      if error.code == .serverError { #expect((error.underlying as? AuthorizationError)?.code == "unknown") }
    }
  }

  @Test("No error shows any part of the URL", arguments: bad)
  func nothingOfTheURL(_ bad: Bad) async {
    let state = await redirects.issueState(for: uri)
    let url = bad.url.replacing("STATE", with: state) + "s3cr3t"
    do {
      _ = try await redirects.handleRedirect(url, for: mail)
    } catch {
      #expect(!"\(error) \(error.detail)".contains("s3cr3t"))
      #expect(!"\(error) \(error.detail)".contains(state))
    }
  }
}
