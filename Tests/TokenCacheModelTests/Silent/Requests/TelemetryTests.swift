// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Telemetry of requests")
struct TelemetryTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let id = UUID()

  private func headers(_ request: TokenRequest?) throws -> [String: String] {
    let names = ["x-client-current-telemetry", "x-client-last-telemetry"]
    let fields = try #require(request).headers.filter { names.contains($0.name) }
    return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
  }

  private func refresh(_ cache: TokenCache, _ account: Account, at authority: Authority? = nil) async throws {
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.authority = authority
    parameters.forceRefresh = true
    parameters.correlationID = id
    _ = try await cache.acquireTokenSilent(parameters)
  }

  @Test("Without a number no telemetry is sent")
  func off() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    await group.endpoint.response(anna.response(2))
    try await refresh(mail, account)
    let sent = await group.endpoint.requests.first
    #expect(try headers(sent).isEmpty)
  }

  @Test("A request says why it is sent, how often the cache was used before, and which requests failed")
  func sent() async throws {
    let mail = try group.app("mail") { $0.telemetryAPI = 84 }
    let account = try await mail.signIn(anna.response(1))
    for _ in 0..<2 { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
    await group.endpoint.response(["error": "invalid_scope"], status: 400)
    await #expect(throws: SecretStoreError.self) { try await refresh(mail, account) }
    await group.endpoint.response(body: "<html>", status: 403)
    await #expect(throws: SecretStoreError.self) { try await refresh(mail, account) }
    await group.endpoint.fail(with: ScriptedEndpoint.NotScripted())
    await #expect(throws: SecretStoreError(.networkError, "")) { try await refresh(mail, account) }
    for number in 2...3 {
      await group.endpoint.response(anna.response(number))
      try await refresh(mail, account)
    }
    let sent = try await group.endpoint.requests.map { try headers($0) }
    let call = "84,\(id.uuidString.lowercased())"
    #expect(sent.allSatisfy { $0["x-client-current-telemetry"] == "4|84,1|" })
    #expect(
      sent.map { $0["x-client-last-telemetry"] } == [
        "4|2|||", "4|2|\(call)|invalid_scope|", "4|2|\(call),\(call)|invalid_scope,403|",
        "4|2|\(call),\(call),\(call)|invalid_scope,403,networkError|", "4|0|||",
      ])
  }

  @Test("Only Microsoft's endpoints get it")
  func otherProvider() async throws {
    let issuer = "https://id.contoso.com"
    let mail = try group.app("mail", authority: issuer) { $0.telemetryAPI = 84 }
    let account = try await mail.signIn(anna.openIDResponse(1))
    await group.endpoint.response(anna.openIDResponse(2))
    try await refresh(mail, account)
    let sent = await group.endpoint.requests.first
    #expect(try headers(sent).isEmpty)
  }

  @Test("What fails or succeeds at another provider is not counted")
  func failureElsewhere() async throws {
    let (mail, issuer) = (
      try group.app("mail") { $0.telemetryAPI = 84 }, try Authority("https://id.contoso.com")
    )
    let account = try await mail.signIn(anna.response(1))
    let response = try TokenResponse(members: anna.openIDResponse(1))
    let other = try await mail.save(response, scopes: ["mail.read"], authority: issuer)
    for (signedIn, authority) in [(other, issuer), (account, nil)] as [(Account, Authority?)] {
      await group.endpoint.response(["error": "invalid_scope"], status: 400)
      await #expect(throws: SecretStoreError.self) { try await refresh(mail, signedIn, at: authority) }
    }
    await group.endpoint.response(anna.openIDResponse(2))
    try await refresh(mail, other, at: issuer)
    await group.endpoint.response(anna.response(2))
    try await refresh(mail, account)
    let sent = try await group.endpoint.requests.map { try headers($0)["x-client-last-telemetry"] }
    #expect(sent == [nil, "4|0|||", nil, "4|0|84,\(id.uuidString.lowercased())|invalid_scope|"])
  }

  @Test("Many failures don't make the header longer than the server reads")
  func limit() async throws {
    let telemetry = RequestTelemetry()
    for _ in 0..<100 { telemetry.record("temporarily_unavailable", api: 84, id) }
    let last = try #require(telemetry.headers(api: 84, reason: 3).last)
    #expect(last.value.utf8.count <= 350 && last.value.contains("temporarily_unavailable,temporarily"))
  }

  @Test(
    "Reasons have the MSALs' numbers",
    arguments: [(.forced, 1), (.claims, 1), (.noAccessToken, 2), (.expired, 3), (.refreshDue, 4)]
      as [(TokenResult.RefreshReason, Int)])
  func numbers(reason: TokenResult.RefreshReason, number: Int) {
    #expect(reason.telemetryCode == number)
  }
}
