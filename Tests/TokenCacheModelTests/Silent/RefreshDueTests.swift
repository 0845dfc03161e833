// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("A token that is due for a refresh")
struct RefreshDueTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private struct NoNetwork: Error {}

  /// Signs in; from half an hour on the token should be refreshed.
  private func signIn() async throws -> Account {
    try await group.app("mail").signIn(anna.answer(1, changing: ["refresh_in": 1800]))
  }

  private func token(_ account: Account, isOnline: Bool = true) async throws -> TokenResult {
    try await group.app("mail", isOnline: isOnline).acquireTokenSilent(
      scopes: ["mail.read"], account: account)
  }

  @Test(
    "It is refreshed once refresh_on has passed, though it is valid",
    arguments: [(0, 0), (1800, 0), (1801, 1)] as [(TimeInterval, Int)])
  func refreshed(after seconds: TimeInterval, requests: Int) async throws {
    let account = try await signIn()
    group.clock.advance(by: seconds)
    await group.endpoint.answer(anna.answer(2, changing: ["refresh_in": 1800]))
    #expect(try await token(account).accessToken == "at-\(1 + requests)")
    #expect(await group.endpoint.requests.count == requests)
  }

  @Test(
    "It is used when the server fails, is busy, refuses the client, or can't be reached",
    arguments: [500, 503, 429, 401, 0])
  func used(status: Int) async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    for _ in 0..<2 {
      if status == 0 {
        await group.endpoint.fail(with: NoNetwork())
      } else {
        await group.endpoint.answer(body: #"{"error":"invalid_client"}"#, status: status)
      }
    }
    let result = try await token(account)
    #expect(result.accessToken == "at-1")
    #expect(result.source == .cache)
    #expect(!result.isExtendedLifetime)
  }

  @Test("It is not used when the server asks for the user: it has spoken")
  func refused() async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    await group.endpoint.answer(body: #"{"error":"invalid_grant"}"#, status: 400)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) { try await token(account) }
  }

  @Test("It is used when there is nothing to refresh it with")
  func nothing() async throws {
    let account = try await group.app("mail").signIn(
      anna.answer(1, changing: ["refresh_in": 1800, "refresh_token": .null]))
    group.clock.advance(by: 2000)
    #expect(try await token(account).accessToken == "at-1")
    #expect(try await token(account, isOnline: false).accessToken == "at-1")
  }

  @Test("It is not handed out to an app that signed out while the server failed")
  func signedOut() async throws {
    let account = try await signIn()
    group.clock.advance(by: 2000)
    await group.endpoint.fail(with: NoNetwork())
    let group = group
    await group.endpoint.beforeAnswering { try await group.app("mail").signOut(account) }
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

  @Test("A fresh token of another kind of validity is preferred to it")
  func fresher() async throws {
    let account = try await signIn()
    group.clock.advance(by: 1000)
    try await group.app("mail").signIn(
      anna.answer(2, scope: "mail.read files.read", changing: ["refresh_in": 1800]))
    group.clock.advance(by: 1000)
    #expect(try await token(account).accessToken == "at-2")
    #expect(await group.endpoint.requests.isEmpty)
  }
}
