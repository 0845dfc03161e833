// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Facts about a silent call")
struct CallFactsTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let id = UUID()

  private func account(_ changes: JSONObject = [:]) async throws -> Account {
    try await group.app("mail").signIn(anna.response(1, changing: changes))
  }

  private func call(
    _ account: Account, scopes: Scopes = ["mail.read"], _ change: (inout SilentParameters) -> Void = { _ in }
  ) async throws -> TokenResult {
    var parameters = SilentParameters(scopes: scopes, account: account)
    parameters.correlationID = id
    change(&parameters)
    return try await group.app("mail").acquireTokenSilent(parameters)
  }

  @Test("The result has the call's correlation ID, from the cache and from the server, and so has the error")
  func correlation() async throws {
    let account = try await account()
    #expect(try await call(account).correlationID == id)
    await group.endpoint.response(anna.response(2))
    #expect(try await call(account) { $0.forceRefresh = true }.correlationID == id)
    await group.endpoint.response(["error": "invalid_grant"], status: 400)
    let refused = await #expect(throws: SecretStoreError.self) {
      try await call(account) { $0.forceRefresh = true }
    }
    #expect(refused?.correlationID == id)
    let malformed = await #expect(throws: SecretStoreError.self) { try await call(account, scopes: []) }
    #expect(malformed?.correlationID == id)
  }

  @Test("The result, the error and the log of a sign-in have the ID that it was given, or a new one")
  func signIn() async throws {
    let log = CapturedLog()
    let mail = try group.app("mail") { $0.logger = log.logger }
    let response = try TokenResponse(members: anna.response(1))
    let result = try await mail.acquireToken(from: response, scopes: ["mail.read"], correlationID: id)
    #expect(result.correlationID == id && result.duration > .zero && result.endpointDuration == .zero)
    let declined = await #expect(throws: SecretStoreError(.declinedScopes, "")) {
      try await mail.acquireToken(from: response, scopes: ["files.read"], correlationID: id)
    }
    #expect(declined?.correlationID == id)
    #expect(Set(log.lines.map { $0.facts["correlation-id"] }) == [id.uuidString])
    #expect(log.lines.map(\.message) == ["begins", "ends", "begins", "ends"])
    let other = try await mail.acquireToken(from: response, scopes: ["mail.read"])
    #expect(other.correlationID != id)
    #expect(log.lines.last?.facts["correlation-id"] == other.correlationID.uuidString)
  }

  @Test("A result that was kept in memory has the correlation ID of its own call")
  func kept() async throws {
    let account = try await account()
    let kept = KeepingBackend(inner: group.backend)
    var ids: [UUID] = []
    for _ in 0..<3 {
      let mail = try group.app("mail", through: kept)
      ids.append(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).correlationID)
    }
    #expect(Set(ids).count == 3)
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.correlationID = id
    #expect(try await group.app("mail", through: kept).acquireTokenSilent(parameters).correlationID == id)
  }

  @Test(
    "A refresh says why it was made",
    arguments: [
      (0, .noAccessToken), (4000, .expired), (700, .refreshDue), (0, .forced), (0, .claims),
    ] as [(TimeInterval, TokenResult.RefreshReason)])
  func reason(seconds: TimeInterval, expected: TokenResult.RefreshReason) async throws {
    let account = try await account(["refresh_in": 600])
    group.clock.advance(by: seconds)
    let scopes: Scopes = expected == .noAccessToken ? ["files.read"] : ["mail.read"]
    await group.endpoint.response(anna.response(2, scope: "mail.read files.read"))
    let result = try await call(account, scopes: scopes) {
      if expected == .forced { $0.forceRefresh = true }
      if expected == .claims { $0.claims = "{}" }
    }
    #expect(result.source == .refresh)
    #expect(result.refreshReason == expected)
    #expect(result.refreshError == nil)
    #expect(result.endpointDuration > .zero && result.endpointDuration <= result.duration)
    if expected == .claims { return }
    let again = try await call(account)
    #expect(again.refreshReason == nil && again.endpointDuration == .zero)
  }

  @Test("A token that is used in spite of a failed refresh comes with the error")
  func fallback() async throws {
    let account = try await account(["refresh_in": 600])
    group.clock.advance(by: 700)
    await group.endpoint.response(body: "", status: 429)
    let result = try await call(account)
    #expect(result.source == .cache && result.accessToken == "at-1")
    #expect(result.refreshReason == .refreshDue)
    #expect(result.refreshError?.code == .serverError)
    #expect((result.refreshError?.underlying as? OAuthError)?.status == 429)
    #expect(result.endpointDuration > .zero && result.endpointDuration <= result.duration)
  }
}
