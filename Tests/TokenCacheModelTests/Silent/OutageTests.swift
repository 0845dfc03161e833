// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("While the server is down")
struct OutageTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private struct NoNetwork: Error {}

  /// Signs in and lets the access token expire; its extended lifetime goes on for another two hours.
  private func expired() async throws -> Account {
    let account = try await group.app("mail").signIn(anna.answer(1, changing: ["ext_expires_in": 10800]))
    group.clock.advance(by: 3600)
    return account
  }

  private func token(_ account: Account, extended: Bool = true) async throws -> TokenResult {
    try await group.app("mail") { $0.usesExtendedLifetime = extended }
      .acquireTokenSilent(scopes: ["mail.read"], account: account)
  }

  private func serverFails(_ status: Int = 500) async {
    for _ in 0..<2 { await group.endpoint.answer(body: "", status: status) }
  }

  @Test("An expired token is used within its extended lifetime, and says so", arguments: [500, 503, 429])
  func extended(status: Int) async throws {
    let account = try await expired()
    await serverFails(status)
    let result = try await token(account)
    #expect(result.accessToken == "at-1")
    #expect(result.isExtendedLifetime)
    #expect(result.source == .cache)
  }

  @Test("So it is when the server can't be reached")
  func unreachable() async throws {
    let account = try await expired()
    await group.endpoint.fail(with: NoNetwork())
    #expect(try await token(account).isExtendedLifetime)
  }

  @Test("It is not used unless the app allows it")
  func notAllowed() async throws {
    let account = try await expired()
    await serverFails()
    await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account, extended: false) }
  }

  @Test("It is not used after its extended lifetime")
  func over() async throws {
    let account = try await expired()
    group.clock.advance(by: 7200)
    await serverFails()
    await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account) }
  }

  @Test("It is not used when the server is up and refuses the refresh")
  func refused() async throws {
    let account = try await expired()
    await group.endpoint.answer(body: #"{"error":"invalid_grant"}"#, status: 400)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await token(account) }
    await group.endpoint.answer(body: #"{"error":"invalid_client"}"#, status: 401)
    try await group.app("mail").signIn(anna.answer(3, changing: ["ext_expires_in": 10800]))
    group.clock.advance(by: 3600)
    await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account) }
  }

  @Test("It is refreshed as any expired token is when the server is up")
  func serverIsUp() async throws {
    let account = try await expired()
    await group.endpoint.answer(anna.answer(2))
    let result = try await token(account)
    #expect(result.accessToken == "at-2")
    #expect(!result.isExtendedLifetime)
  }

  @Test("A server error is tried again once, and then it may be well", arguments: [500, 502, 503, 599])
  func retried(status: Int) async throws {
    let account = try await expired()
    await group.endpoint.answer(body: "", status: status)
    await group.endpoint.answer(anna.answer(2))
    #expect(try await token(account).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1"])
  }

  @Test("Nothing else is tried again", arguments: [400, 401, 403, 404, 429])
  func notRetried(status: Int) async throws {
    let account = try await expired()
    await group.endpoint.answer(body: "", status: status)
    await #expect(throws: SecretStoreError.self) { try await token(account, extended: false) }
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A server that says when to come back is not tried again before")
  func retryAfter() async throws {
    let account = try await expired()
    await group.endpoint.answer(body: "", status: 503, retryAfter: "30")
    await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account, extended: false) }
    #expect(await group.endpoint.requests.count == 1)
  }
}
