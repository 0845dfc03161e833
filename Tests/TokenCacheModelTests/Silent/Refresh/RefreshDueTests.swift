// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Token due for a refresh")
struct RefreshDueTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private struct NoNetwork: Error {}

  /// Signs in with a token that is due for a refresh after half an hour.
  private func signIn() async throws -> Account {
    try await group.app("mail").signIn(anna.response(1, changing: ["refresh_in": 1800]))
  }

  private func token(_ account: Account, isOnline: Bool = true) async throws -> TokenResult {
    try await group.app("mail", isOnline: isOnline).acquireTokenSilent(
      scopes: ["mail.read"], account: account)
  }

  @Test(
    "It is refreshed once refresh_on has passed, although it is valid",
    arguments: [(0, 0), (1800, 0), (1801, 1)] as [(TimeInterval, Int)])
  func refreshed(after seconds: TimeInterval, requests: Int) async throws {
    let account = try await signIn()
    group.clock.advance(by: seconds)
    await group.endpoint.response(anna.response(2, changing: ["refresh_in": 1800]))
    #expect(try await token(account).accessToken == "at-\(1 + requests)")
    #expect(await group.endpoint.requests.count == requests)
  }

  @Test(
    "It is used if the server fails, is busy, refuses the client or is unreachable",
    arguments: [500, 503, 429, 401, 0])
  func used(status: Int) async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    for _ in 0..<2 {
      if status == 0 {
        await group.endpoint.fail(with: NoNetwork())
      } else {
        await group.endpoint.response(body: #"{"error":"invalid_client"}"#, status: status)
      }
    }
    let result = try await token(account)
    #expect(result.accessToken == "at-1")
    #expect(result.source == .cache)
    #expect(!result.isExtendedLifetime)
  }

  @Test("It is not used if the server requires interaction")
  func refused() async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    await group.endpoint.response(body: #"{"error":"invalid_grant"}"#, status: 400)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await token(account) }
  }

  @Test("It is used if there is no refresh token")
  func nothing() async throws {
    let account = try await group.app("mail").signIn(
      anna.response(1, changing: ["refresh_in": 1800, "refresh_token": .null]))
    group.clock.advance(by: 2000)
    #expect(try await token(account).accessToken == "at-1")
    #expect(try await token(account, isOnline: false).accessToken == "at-1")
  }

  @Test("An app that signed out during the server's failure does not get it")
  func signedOut() async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    await group.endpoint.fail(with: NoNetwork())
    let group = group
    await group.endpoint.beforeResponding { try await group.app("mail").signOut(account) }
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await token(account) }
  }

  @Test("A forced refresh that fails does not fall back to it")
  func forced() async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    await group.endpoint.fail(with: NoNetwork())
    await #expect(throws: SecretStoreError(.networkError, "")) {
      try await group.app("mail").acquireTokenSilent(
        scopes: ["mail.read"], account: account, forceRefresh: true)
    }
  }

  @Test("A fresh token with another validity precedes it")
  func fresher() async throws {
    let account = try await signIn()
    group.clock.advance(by: 1000)
    try await group.app("mail").signIn(
      anna.response(2, scope: "mail.read files.read", changing: ["refresh_in": 1800]))
    group.clock.advance(by: 1000)
    #expect(try await token(account).accessToken == "at-2")
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("It is used if the family's record cannot be read")
  func unreadableFamily() async throws {
    let account = try await group.app("mail").signIn(
      anna.response(1, family: "1", changing: ["refresh_in": 1800]))
    group.clock.advance(by: 2000)
    await group.backend.storeRaw(Array("{".utf8), for: SharedGroup.familyKey())
    let result = try? await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result?.accessToken == "at-1")
  }

  @Test("Callers with such a token do not wait one after another for an unreachable network")
  func serialCallers() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, changing: ["refresh_in": 1800]))
    group.clock.advance(by: 2000)
    for _ in 0..<10 { await group.endpoint.fail(with: NoNetwork()) }
    await group.endpoint.beforeResponding { try await Task.sleep(for: .seconds(1)) }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for n in 0..<10 {
        tasks.addTask {
          let result = try await group.app("app\(n)")
            .acquireTokenSilent(scopes: ["mail.read"], account: account)
          #expect(result.accessToken == "at-1")
        }
      }
      try await tasks.waitForAll()
    }
    let took = ContinuousClock.now - start
    let all = await group.endpoint.requests
    // On a busy machine each caller may have waited for its turn; then no caller sends a request.
    #expect(all.count <= 1, "\(all.count) requests, \(took)")
  }
}
