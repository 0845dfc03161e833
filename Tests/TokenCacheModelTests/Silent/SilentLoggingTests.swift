// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Logging
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Silent calls: log")
struct SilentLoggingTests {
  private let group = SharedGroup()
  private let log = CapturedLog()

  private func app(_ name: String = "mail", through backend: (any TokenCacheBackend)? = nil) throws
    -> TokenCache
  {
    try group.app(name, through: backend) { $0.logger = log.logger }
  }

  /// Expects that no logged line shows a token or a user.
  private func checkRedaction(line: Int = #line) {
    let secrets = ["at-", "rt-", "anna@", "A Person", TestUser.anna.idToken, "s3cr3t"]
    for text in log.lines.map(\.text) {
      for secret in secrets { #expect(!RedactionProbe.shows(text, secret), "\(text) (line \(line))") }
    }
  }

  @Test("A call logs from its start to its end with one correlation ID, which the server receives")
  func correlation() async throws {
    let account = try await app().signIn(TestUser.anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(TestUser.anna.response(2))
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.correlationID = UUID()
    _ = try await app().acquireTokenSilent(parameters)
    let id = try #require(parameters.correlationID).uuidString
    #expect(Set(log.lines.map { $0.facts["correlation-id"] }) == [id])
    #expect(
      log.lines.map(\.message) == [
        "begins", "has read the cache", "redeems a refresh token", "the token endpoint responded",
        "saved what the refresh brought", "ends",
      ])
    #expect(log.lines.last?.facts["outcome"] == "refresh")
    let headers = try #require(await group.endpoint.requests.first).headers
    #expect(headers.first { $0.name == "client-request-id" }?.value == id.lowercased())
    checkRedaction()
  }

  @Test("Two calls have different correlation IDs")
  func twoCalls() async throws {
    let account = try await app().signIn(TestUser.anna.response(1))
    for _ in 0..<2 { _ = try await app().acquireTokenSilent(scopes: ["mail.read"], account: account) }
    #expect(Set(log.lines.map { $0.facts["correlation-id"] }).count == 2)
    #expect(log.lines.filter { $0.message == "ends" }.map { $0.facts["outcome"] } == ["cache", "cache"])
    checkRedaction()
  }

  @Test(
    "A call logs how many access tokens it can't use and why, and interactionRequired says it",
    arguments: [
      "the cache has no refresh token", "the server refuses the refresh token",
    ])
  func unusableTokens(problem: String) async throws {
    let isRefused = problem.hasPrefix("the server")
    let changes: JSONObject = isRefused ? [:] : ["refresh_token": .null]
    let account = try await app().signIn(TestUser.anna.response(1, changing: changes))
    let mail = try app()
    let calls: [(seconds: TimeInterval, reason: String, change: (inout SilentParameters) -> Void)] = [
      (0, "1 other scopes", { $0 = SilentParameters(scopes: ["files.read"], account: account) }),
      (4000, "1 expired", { _ in }), (-9000, "1 cached in the future", { _ in }),
      (0, "1 other claims", { $0.claims = #"{"id_token":{}}"# }),
      (0, "1 another tenant", { $0.tenant = "1b2c3d4e-0000-4c40-97bc-f7a23c703084" }),
      (0, "1 another kind", { $0.scheme = AccessTokenScheme(tokenType: "pop", keyID: "k") }),
    ]
    for call in calls {
      group.clock.advance(by: call.seconds)
      defer { group.clock.advance(by: -call.seconds) }
      var parameters = SilentParameters(scopes: ["mail.read"], account: account)
      call.change(&parameters)
      if isRefused { await group.endpoint.refuse() }
      let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
        try await mail.acquireTokenSilent(parameters)
      }
      #expect(error?.detail.contains(call.reason) == true, "\(error?.detail ?? "")")
      let line = try #require(log.lines.last { $0.message == "has read the cache" })
      #expect(line.facts["token"] == "none that fits (\(call.reason))")
    }
    checkRedaction()
  }

  @Test("A call logs why it requires interaction, and no error description of the server")
  func refusal() async throws {
    let account = try await app().signIn(TestUser.anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(
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

  @Test("A response that could not be saved is logged as a warning")
  func saveError() async throws {
    let account = try await app().signIn(TestUser.anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(TestUser.anna.response(2))
    let failing = FailingBackend(
      inner: group.backend, writeError: SecretStoreError(.storageFailed, "The disk is full."))
    _ = try await app(through: failing).acquireTokenSilent(scopes: ["mail.read"], account: account)
    let warnings = log.lines.filter { $0.level >= .warning }
    #expect(warnings.map { $0.facts["code"] } == ["storageFailed"])
    checkRedaction()
  }

  @Test("Calls log nothing at level info or above unless a problem occurs")
  func quiet() async throws {
    let account = try await app().signIn(TestUser.anna.response(1))
    _ = try await app("calendar").acquireTokenSilent(scopes: ["mail.read"], account: account)
    try await app().signOut(account)
    _ = try? await app().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(log.lines.filter { $0.level >= .info }.map(\.text) == [])
    #expect(!log.lines.isEmpty)
  }

  @Test("No log line has an account ID that is an e-mail address")
  func openID() async throws {
    let cache = try group.app("mail", authority: "https://id.contoso.com/staff") { $0.logger = log.logger }
    let account = try await cache.signIn(TestUser.anna.openIDResponse(1))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(account.identifier == "anna@contoso.com")
    checkRedaction()
  }

  @Test("Servers other than Microsoft's do not receive the correlation ID")
  func foreignServer() throws {
    let request = TokenRequest(
      authority: try Authority("https://id.contoso.com"), clientID: "c", scopes: [], refreshToken: "rt")
    #expect(request.headers.map(\.name) == ["Content-Type", "Accept"])
  }
}
