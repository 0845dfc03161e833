// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Testing
import TokenCacheModel

@Suite("The log of a silent call")
struct LoggingTests {
  private let group = SharedGroup()
  private let log = CapturedLog()

  private func app(_ name: String = "mail", through backend: (any TokenCacheBackend)? = nil) throws
    -> TokenCache
  {
    try group.app(name, through: backend) { $0.logger = log.logger }
  }

  /// Nothing that was logged is a token's or a person's.
  private func checkRedaction(line: Int = #line) {
    let secrets = ["at-", "rt-", "anna@", "A Person", Person.anna.idToken, "s3cr3t"]
    for text in log.lines.map(\.text) {
      for secret in secrets { #expect(!Redaction.shows(text, secret), "\(text) (line \(line))") }
    }
  }

  @Test("goes from its beginning to its end under one correlation id, which the server is sent")
  func correlation() async throws {
    let account = try await app().signIn(Person.anna.answer(1))
    group.clock.advance(by: 4000)
    await group.endpoint.answer(Person.anna.answer(2))
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.correlationID = UUID()
    _ = try await app().acquireTokenSilent(parameters)
    let id = try #require(parameters.correlationID).uuidString
    #expect(Set(log.lines.map { $0.facts["correlation-id"] }) == [id])
    #expect(
      log.lines.map(\.message) == [
        "begins", "has read the cache", "redeems a refresh token", "the token endpoint answered",
        "saved what the refresh brought", "ends",
      ])
    #expect(log.lines.last?.facts["outcome"] == "refresh")
    let headers = try #require(await group.endpoint.requests.first).headers
    #expect(headers.first { $0.name == "client-request-id" }?.value == id.lowercased())
    checkRedaction()
  }

  @Test("of two calls can be told apart")
  func twoCalls() async throws {
    let account = try await app().signIn(Person.anna.answer(1))
    for _ in 0..<2 { _ = try await app().acquireTokenSilent(scopes: ["mail.read"], account: account) }
    #expect(Set(log.lines.map { $0.facts["correlation-id"] }).count == 2)
    #expect(log.lines.filter { $0.message == "ends" }.map { $0.facts["outcome"] } == ["cache", "cache"])
    checkRedaction()
  }

  @Test("says why the user has to sign in, and nothing that the server wrote for people")
  func refusal() async throws {
    let account = try await app().signIn(Person.anna.answer(1))
    group.clock.advance(by: 4000)
    await group.endpoint.answer(
      [
        "error": "invalid_grant", "suberror": "bad_token",
        "error_description": "anna@contoso.com sent rt-1, s3cr3t",
      ], status: 400)
    await #expect(throws: SecretStoreError.self) {
      _ = try await app().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    let end = try #require(log.lines.last)
    #expect(end.facts["outcome"] == "failed")
    #expect(end.facts["code"] == "interactionRequired")
    #expect(end.facts["refusal"] == "HTTP status 400: invalid_grant, bad_token")
    checkRedaction()
  }

  @Test("warns when what the server gave could not be saved")
  func saveError() async throws {
    let account = try await app().signIn(Person.anna.answer(1))
    group.clock.advance(by: 4000)
    await group.endpoint.answer(Person.anna.answer(2))
    let failing = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.storageFailed, "The disk is full."))
    _ = try await app(through: failing).acquireTokenSilent(scopes: ["mail.read"], account: account)
    let warnings = log.lines.filter { $0.level >= .warning }
    #expect(warnings.map { $0.facts["code"] } == ["storageFailed"])
    checkRedaction()
  }

  @Test("is silent at the level at which libraries are heard by default, unless something is wrong")
  func quiet() async throws {
    let account = try await app().signIn(Person.anna.answer(1))
    _ = try await app("calendar").acquireTokenSilent(scopes: ["mail.read"], account: account)
    try await app().signOut(account)
    _ = try? await app().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(log.lines.filter { $0.level >= .info }.map(\.text) == [])
    #expect(!log.lines.isEmpty)
  }

  @Test("never names a person whose id is an e-mail address")
  func openID() async throws {
    let cache = try group.app("mail", authority: "https://id.contoso.com/staff") { $0.logger = log.logger }
    let account = try await cache.signIn(Person.anna.openIDAnswer(1))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(account.identifier == "anna@contoso.com")
    checkRedaction()
  }

  @Test("keeps the correlation id from servers that are not Microsoft's")
  func foreignServer() throws {
    let request = TokenRequest(
      authority: try Authority("https://id.contoso.com"), clientID: "c", scopes: [], refreshToken: "rt")
    #expect(request.headers.map(\.name) == ["Content-Type", "Accept"])
  }
}
