// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Tokens that are due, and tokens that are spent")
struct DueAndSpentTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func sent() async -> [String] { await group.endpoint.requests.map(\.refreshToken) }

  @Test("Expired access tokens for claims do not pile up")
  func pileUp() async throws {
    let account = try await suite().signIn(anna.answer(1))
    for n in 2..<42 {
      group.clock.advance(by: 86_400)
      var p = SilentParameters(scopes: ["mail.read"], account: account)
      p.claims = #"{"access_token":{"nbf":{"essential":true,"value":"\#(n)"}}}"#
      await group.endpoint.answer(anna.answer(n))
      _ = try await suite().acquireTokenSilent(p)
    }
    let count = try await group.document()?.secrets(.accessToken).count ?? 0
    #expect(count < 5, "\(count) access tokens, all but one expired")
  }

  @Test("A token that is due is used when the family's record can't be read")
  func dueCorruptFamily() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1", changing: ["refresh_in": 1800]))
    group.clock.advance(by: 2000)
    await group.backend.plant(Array("{".utf8), for: SharedGroup.familyKey())
    let r = try? await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(r?.accessToken == "at-1")
  }

  @Test("Callers with a token that is due do not wait for a dead network one after another")
  func dueSerial() async throws {
    struct NoNetwork: Error {}
    let account = try await suite().signIn(anna.answer(1, changing: ["refresh_in": 1800]))
    group.clock.advance(by: 2000)
    for _ in 0..<10 { await group.endpoint.fail(with: NoNetwork()) }
    await group.endpoint.beforeAnswering { try await Task.sleep(for: .seconds(1)) }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for n in 0..<10 {
        tasks.addTask {
          _ = try await group.app("app\(n)").acquireTokenSilent(scopes: ["mail.read"], account: account)
        }
      }
      try await tasks.waitForAll()
    }
    let took = ContinuousClock.now - start
    let all = await sent()
    #expect(all.count == 1, "\(all.count) requests, \(took)")
  }

  @Test("A sign-in resets a refusal, even when it brings the same refresh token")
  func sameRT() async throws {
    let account = try await suite().signIn(anna.answer(1))
    group.clock.advance(by: 4000)
    await group.endpoint.answer(body: #"{"error":"interaction_required"}"#, status: 400)
    await #expect(throws: interaction) {
      try await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    try await suite().signIn(anna.answer(1, scope: "files.read"))
    await group.endpoint.answer(anna.answer(3))
    let r = try? await suite().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(r?.accessToken == "at-3")
  }

  @Test("A refusal is the same error when it is remembered") func x() async throws {
    // remembered refusal's retryAfter
    let account = try await group.app("mail").signIn(anna.answer(1))
    await group.endpoint.answer(body: #"{"error":"invalid_grant"}"#, status: 400)
    var seen: [OAuthError?] = []
    for _ in 0..<2 {
      do { _ = try await group.app("mail").acquireTokenSilent(scopes: ["a"], account: account) } catch let e
        as SecretStoreError
      { seen.append(e.underlying as? OAuthError) }
    }
    #expect(seen[0] == seen[1])
  }

  @Test("Queries and parameters show no account")
  func descriptions() async throws {
    var q = CredentialQuery()
    q.homeAccountID = "anna@contoso.com"
    for t in Redaction.texts(of: q) { #expect(!t.contains("anna@contoso.com")) }
    var p = SilentParameters(
      scopes: ["a"],
      account: try await group.app("mail", authority: "https://id.contoso.com").signIn(anna.openIDAnswer(1)))
    p.scheme = AccessTokenScheme(
      tokenType: "pop", keyID: "k", requestParameters: [("client_assertion", "SECRET")])
    for t in Redaction.texts(of: p) {
      #expect(!t.contains("anna@contoso.com"))
      #expect(!t.contains("SECRET"))
    }
  }
}
