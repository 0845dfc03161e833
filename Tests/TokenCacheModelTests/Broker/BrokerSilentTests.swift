// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import Testing
import TokenCacheContract
import UnifiedCache

@testable import TokenCacheModel

/// The silent call of a cache that uses an identity broker.
@Suite("A silent call through a broker")
struct BrokerSilentTests {
  private let group = SharedGroup()
  private let broker = ScriptedBroker()

  private func account(_ cache: TokenCache) async throws -> Account {
    try #require(try await cache.account(username: TestUser.anna.username))
  }

  @Test("The broker's token is kept for its lifetime, and the broker is asked again after it")
  func keepsToken() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try await account(cache)
    let first = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(first.accessToken == "broker-at-1" && first.source == .broker && first.saveError == nil)
    #expect(first.account.isFromBroker && first.refreshReason == .noAccessToken)
    await broker.forgetRequests()
    let second = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: first.account)
    #expect(second.accessToken == "broker-at-1" && second.source == .cache)
    #expect(await broker.requests.isEmpty)
    group.clock.advance(by: 3_800)
    let third = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: first.account)
    #expect(third.accessToken == "broker-at-2" && third.refreshReason == .expired)
  }

  @Test("Nothing that the broker keeps is asked for or stored")
  func storesNoRefreshToken() async throws {
    let cache = try group.app("mail", broker: broker)
    _ = try await cache.acquireTokenSilent(
      scopes: ["mail.read", "offline_access"], account: try await account(cache))
    #expect(await broker.parameters?["requestedScopes"] == ["mail.read"])
    for (_, stored) in try await group.stored() {
      let text = String(decoding: stored, as: UTF8.self)
      #expect(!text.contains("broker-rt"))
    }
    let document = try #require(try await group.document())
    #expect(document.secrets(.refreshToken).isEmpty)
    // The reply does not say whether the client belongs to a family, so nothing is stored of it.
    #expect(document.appMetadata.isEmpty)
    #expect(document.accounts.allSatisfy { $0.isFromBroker })
  }

  @Test("A cache that has a token answers although the broker fails", arguments: ScriptedBroker.failures)
  func answersFromCache(failure: ScriptedBroker.Failure) async throws {
    let cache = try group.app("mail", broker: broker)
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: try await account(cache))
    for method in BrokerRequest.Method.allCases { await broker.fail(method, failure) }
    let known = try await account(cache)
    #expect(known.isFromBroker)
    let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: known)
    #expect(result.accessToken == "broker-at-1")
  }

  @Test("While the broker is down, a token is returned within its extended lifetime, if the app allows it")
  func extendedLifetime() async throws {
    let cache = try group.app("mail", broker: broker) { $0.usesExtendedLifetime = true }
    let account = try await account(cache)
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    group.clock.advance(by: 5_000)
    await broker.fail(.getAccounts, .late)
    let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.isExtendedLifetime && result.refreshError?.code == .networkError)
  }

  @Test("A forced request names the token to renew, and claims go to the broker")
  func forces() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try await account(cache)
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(await broker.parameters?["accessTokenToRenew"] == nil)
    let forced = try await cache.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(forced.accessToken == "broker-at-2")
    #expect(await broker.parameters?["accessTokenToRenew"] == "broker-at-1")
    var parameters = SilentParameters(scopes: ["mail.read"], account: account)
    parameters.claims = #"{"access_token":{"acrs":{"value":"c1"}}}"#
    #expect(try await cache.acquireTokenSilent(parameters).accessToken == "broker-at-3")
    #expect(await broker.parameters?["decodedClaims"] == #"{"access_token":{"acrs":{"value":"c1"}}}"#)
    #expect(await broker.parameters?["accessTokenToRenew"] == nil)
  }

  @Test("Apps that ask at once share one request")
  func sharesOneRequest() async throws {
    let mail = try group.app("mail", broker: broker)
    let account = try await account(mail)
    await broker.forgetRequests()
    let gate = OneWayGate()
    await broker.beforeToken { await gate.wait() }
    let caches = try ["mail", "calendar", "notes"].map { try group.app($0, broker: broker) }
    let tokens = try await withThrowingTaskGroup(of: String.self) { tasks in
      for cache in caches {
        tasks.addTask {
          try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken
        }
      }
      while await broker.methods.last != .acquireTokenSilently { await Task.yield() }
      await gate.open()
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens == ["broker-at-1", "broker-at-1", "broker-at-1"])
    #expect(await broker.methods.filter { $0 == .acquireTokenSilently }.count == 1)
  }

  @Test("A sign-out during the request wins: nothing is stored")
  func signOutDuringRequest() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try await account(cache)
    let other = try group.app("mail")
    await broker.beforeToken { try await other.signOut(account) }
    let call = try await code {
      _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(call == .interactionRequired)
    #expect(try await group.document()?.hasTokens == false)
  }

  @Test("The group's own refresh token is used when the broker can't reply, and not when it has decided")
  func usesOwnRefreshToken() async throws {
    for failure in [
      ScriptedBroker.Failure.late, .gone, .wrongType, .malformed("x"), .status(21), .status(16),
    ] {
      let group = SharedGroup()
      let broker = ScriptedBroker()
      let cache = try group.app("mail", broker: broker)
      try await cache.signIn(TestUser.anna.response(1))
      group.clock.advance(by: 4_000)
      let account = try #require(try await cache.accounts().first)
      #expect(account.isFromBroker, "the broker has the account, too")
      await broker.fail(.acquireTokenSilently, failure)
      await group.endpoint.response(TestUser.anna.response(2))
      let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result.accessToken == "at-2" && result.source == .refresh)
      for decided in [2, 7, 13] {
        await broker.fail(.acquireTokenSilently, .status(decided))
        let call = try await code {
          _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
        }
        #expect(call == ScriptedBroker.Failure.status(decided).meaning.code)
      }
      #expect(await group.endpoint.requests.count == 1)
    }
  }

  @Test("Declined scopes throw, and the granted token is in the cache")
  func declinedScopes() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try await account(cache)
    let call = try await code {
      _ = try await cache.acquireTokenSilent(scopes: ["mail.read", "mail.send"], account: account)
    }
    #expect(call == .declinedScopes)
    await broker.forgetRequests()
    let granted = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(granted.source == .cache)
    #expect(await broker.requests.isEmpty)
  }

  @Test("A failed save does not fail the call")
  func failedSave() async throws {
    var backend = FailingBackend(inner: group.backend)
    backend.writeError = SecretStoreError(.storageFailed, "No space is left.")
    let cache = try group.app("mail", broker: broker, through: backend)
    let account = try await account(cache)
    let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "broker-at-1" && result.saveError?.code == .storageFailed)
  }

  @Test("An account that the broker no longer has needs a sign-in")
  func unknownAccount() async throws {
    let cache = try group.app("mail", broker: broker)
    let account = try await account(cache)
    await broker.reply(.getAccounts, #"{"accounts":[]}"#)
    let call = try await code {
      _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(call == .interactionRequired)
    #expect(await broker.parameters == nil)
  }
}

extension ScriptedBroker.Failure {
  static func status(_ status: Int) -> Self { Self(.object(["status": .number(JSONNumber(status))])) }
}

extension ScriptedBroker {
  static let failures: [Failure] = [
    .late, .gone, .wrongType, .malformed("is no JSON object"), .status(2), .status(13),
  ]
}
