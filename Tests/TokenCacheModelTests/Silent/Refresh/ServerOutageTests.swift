// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Server outage")
struct ServerOutageTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private struct NoNetwork: Error {}

  /// Signs in and lets the access token expire.
  ///
  /// Its extended lifetime ends two hours later.
  private func expired() async throws -> Account {
    let account = try await group.app("mail").signIn(anna.response(1, changing: ["ext_expires_in": 10800]))
    group.clock.advance(by: 3600)
    return account
  }

  private func token(_ account: Account, extended: Bool = true) async throws -> TokenResult {
    try await group.app("mail") { $0.usesExtendedLifetime = extended }
      .acquireTokenSilent(scopes: ["mail.read"], account: account)
  }

  private func serverFails(_ status: Int = 500) async {
    for _ in 0..<2 { await group.endpoint.response(body: "", status: status) }
  }

  @Test(
    "An expired token is used within its extended lifetime, and the result states it",
    arguments: [500, 503, 429])
  func extended(status: Int) async throws {
    let account = try await expired()
    await serverFails(status)
    let result = try await token(account)
    #expect(result.accessToken == "at-1")
    #expect(result.isExtendedLifetime)
    #expect(result.source == .cache)
  }

  @Test("It is also used if the server is unreachable")
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

  @Test("It is not used if the server responds and refuses the refresh")
  func refused() async throws {
    let account = try await expired()
    await group.endpoint.response(body: #"{"error":"invalid_grant"}"#, status: 400)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await token(account) }
    await group.endpoint.response(body: #"{"error":"invalid_client"}"#, status: 401)
    try await group.app("mail").signIn(anna.response(3, changing: ["ext_expires_in": 10800]))
    group.clock.advance(by: 3600)
    await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account) }
  }

  @Test("It is refreshed like any expired token if the server responds")
  func serverIsUp() async throws {
    let account = try await expired()
    await group.endpoint.response(anna.response(2))
    let result = try await token(account)
    #expect(result.accessToken == "at-2")
    #expect(!result.isExtendedLifetime)
  }

  @Test(
    "A request with a server error is sent once more, and its success counts",
    arguments: [500, 502, 503, 599])
  func retried(status: Int) async throws {
    let account = try await expired()
    await group.endpoint.response(body: "", status: status)
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account).accessToken == "at-2")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "rt-1"])
  }

  @Test("No other request is sent again", arguments: [400, 401, 403, 404, 429])
  func notRetried(status: Int) async throws {
    let account = try await expired()
    await group.endpoint.response(body: "", status: status)
    await #expect(throws: SecretStoreError.self) { try await token(account, extended: false) }
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A request is not sent again before the server's Retry-After")
  func retryAfter() async throws {
    let account = try await expired()
    await group.endpoint.response(body: "", status: 503, retryAfter: "30")
    await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account, extended: false) }
    #expect(await group.endpoint.requests.count == 1)
  }
}
