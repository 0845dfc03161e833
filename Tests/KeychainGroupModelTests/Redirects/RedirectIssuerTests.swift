// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Synchronization
import Testing

@Suite("Issuer and age of an authorization response")
struct RedirectIssuerTests {
  private let mail: AppIdentifier
  private let uri: RedirectURI
  private static let honest = "https://id.contoso.com"
  private static let attacker = "https://id.fabrikam.com"

  init() throws {
    mail = try AppIdentifier("com.contoso.mail")
    uri = try RedirectURI(defaultFor: mail)
  }

  private func url(_ state: String, issuer: String?, outcome: String = "code=c") -> String {
    "\(uri)?\(outcome)&state=\(state)" + (issuer.map { "&iss=\($0)" } ?? "")
  }

  /// The app signs in at the attacker's provider, which sends the browser on to the honest one with the attacker's state:
  /// the honest one's code would then be redeemed at the attacker's token endpoint.
  @Test("A code of one provider is refused for a sign-in at another", arguments: [false, true])
  func mixUp(namesItself: Bool) async throws {
    let redirects = RedirectHandler()
    let state = await redirects.issueState(
      for: uri, issuer: ExpectedIssuer(Self.attacker, namesItself: namesItself))
    let other = await redirects.issueState(for: uri, issuer: ExpectedIssuer(Self.honest, namesItself: true))
    await expectProblem(.otherIssuer) {
      _ = try await redirects.handleRedirect(url(state, issuer: Self.honest), for: mail)
    }
    let response = try await redirects.handleRedirect(url(other, issuer: Self.honest), for: mail)
    #expect(response["iss"] == Self.honest)
  }

  @Test(
    "The issuer must be equal in success and error responses, and present if the provider always sends it",
    arguments: [
      (Self.honest, true, nil), (Self.honest, false, nil), (nil, false, nil), (nil, true, .noIssuer),
      ("", true, .otherIssuer), ("\(Self.honest)/", true, .otherIssuer),
      ("HTTPS://ID.CONTOSO.COM", false, .otherIssuer),
      ("https://id.contoso.com.evil.example", false, .otherIssuer),
    ] as [(String?, Bool, RedirectProblem.Rule?)])
  func comparison(issuer: String?, namesItself: Bool, rule: RedirectProblem.Rule?) async throws {
    for outcome in ["code=c", "error=access_denied"] {
      let redirects = RedirectHandler()
      let state = await redirects.issueState(
        for: uri, issuer: ExpectedIssuer(Self.honest, namesItself: namesItself))
      let url = url(state, issuer: issuer, outcome: outcome)
      if let rule {
        await expectProblem(rule) { _ = try await redirects.handleRedirect(url, for: mail) }
      } else {
        _ = try? await redirects.handleRedirect(url, for: mail)
        // The refused response ended the sign-in.
        await expectProblem(.noSignIn) { _ = try await redirects.handleRedirect(url, for: mail) }
      }
    }
  }

  @Test("A response is accepted within one hour of the start of the sign-in, and not after it")
  func timeLimit() async throws {
    #expect(RedirectHandler.timeLimit == .seconds(3_600))
    let start = ContinuousClock.now
    let passed = Mutex(Duration.zero)
    let redirects = RedirectHandler { start + passed.withLock { $0 } }
    let first = await redirects.issueState(for: uri)
    let second = await redirects.issueState(for: uri)
    passed.withLock { $0 = RedirectHandler.timeLimit - .seconds(1) }
    #expect(try await redirects.handleRedirect(url(first, issuer: nil), for: mail).code == "c")
    passed.withLock { $0 = RedirectHandler.timeLimit }
    await expectProblem(.noSignIn) {
      _ = try await redirects.handleRedirect(url(second, issuer: nil), for: mail)
    }
    let third = await redirects.issueState(for: uri)
    await expectProblem(.unknownState) {
      _ = try await redirects.handleRedirect(url(second, issuer: nil), for: mail)
    }
    #expect(try await redirects.handleRedirect(url(third, issuer: nil), for: mail).code == "c")
  }
}
