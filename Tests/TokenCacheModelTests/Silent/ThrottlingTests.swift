// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Throttling")
struct ThrottlingTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func expired(_ person: TestUser = .anna) async throws -> Account {
    let account = try await group.app("mail").signIn(person.response(1))
    group.clock.advance(by: 4000)
    return account
  }

  private func token(
    _ account: Account, app: String = "mail", scopes: Scopes = ["mail.read"], claims: String? = nil
  ) async throws -> TokenResult {
    var parameters = SilentParameters(scopes: scopes, account: account)
    parameters.claims = claims
    return try await group.app(app).acquireTokenSilent(parameters)
  }

  private func requests() async -> Int { await group.endpoint.requests.count }

  @Test(
    "A busy server gets no request until Retry-After, at most an hour, and a minute by default",
    arguments: [
      ("30", 30), ("0", 0), (nil, 60), ("soon", 60), ("-5", 60), ("", 60), ("86400", 3600),
      ("Tue, 14 Nov 2023 23:21:30 GMT", 90), ("Tue, 14 Nov 2023 23:00:00 GMT", 0),
      ("Tue, 14 Xxx 2023 23:21:30 GMT", 60), ("Tue, 14 Nov 2023 23:21:30 CET", 60),
    ] as [(String?, TimeInterval)])
  func busy(retryAfter: String?, seconds: TimeInterval) async throws {
    let account = try await expired()
    await group.endpoint.response(body: "", status: 429, retryAfter: retryAfter)
    let first = await #expect(throws: SecretStoreError(.serverError, "")) { try await token(account) }
    if seconds > 0 {
      group.clock.advance(by: seconds - 1)
      let second = await #expect(throws: SecretStoreError(.serverError, "")) {
        try await token(account, app: "calendar")
      }
      let underlying = (first?.underlying as? OAuthError, second?.underlying as? OAuthError)
      #expect(underlying.0?.status == 429 && underlying.1?.status == 429)
      #expect(underlying.0?.retryAfter == seconds)
      #expect(underlying.1?.retryAfter == 1)
      #expect(
        [first, second].map { $0?.detail.hasSuffix("was not asked again.") } == [false, true])
      #expect(await requests() == 1)
      group.clock.advance(by: 1)
    }
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account, app: "calendar").accessToken == "at-2")
  }

  @Test("Requests of another account and for other scopes are sent to the server during that time")
  func others() async throws {
    let account = try await expired()
    let boris = try await expired(.boris)
    await group.endpoint.response(body: "", status: 429)
    await #expect(throws: SecretStoreError.self) { try await token(account) }
    await group.endpoint.response(TestUser.boris.response(2))
    #expect(try await token(boris).accessToken == "at-2")
    await group.endpoint.response(anna.response(3, scope: "files.read"))
    #expect(try await token(account, scopes: ["files.read"]).accessToken == "at-3")
  }

  @Test("A refused refresh token is not sent again for two minutes by any app of the client")
  func refused() async throws {
    let account = try await expired()
    let refusal = #"{"error":"invalid_grant","suberror":"consent_required"}"#
    await group.endpoint.response(body: refusal, status: 400)
    for app in ["mail", "calendar", "mail"] {
      let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
        try await token(account, app: app)
      }
      #expect((error?.underlying as? OAuthError)?.suberror == "consent_required")
      group.clock.advance(by: 39)
    }
    #expect(await requests() == 1)
    group.clock.advance(by: 3)
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account).accessToken == "at-2")
  }

  @Test("Waiting callers do not send the refused token one after another")
  func waiting() async throws {
    let account = try await expired()
    await group.endpoint.response(body: #"{"error":"invalid_grant"}"#, status: 400)
    await group.endpoint.beforeResponding { for _ in 0..<50 { await Task.yield() } }
    await withTaskGroup(of: SecretStoreError.Code?.self) { tasks in
      for number in 0..<10 {
        tasks.addTask {
          do {
            _ = try await token(account, app: "app\(number)")
            return nil
          } catch { return (error as? SecretStoreError)?.code }
        }
      }
      for await code in tasks { #expect(code == .interactionRequired) }
    }
    #expect(await requests() == 1)
  }

  @Test("A new sign-in is sent at once, since its refresh token is another")
  func newSignIn() async throws {
    let account = try await expired()
    await group.endpoint.response(body: #"{"error":"invalid_grant"}"#, status: 400)
    await #expect(throws: SecretStoreError.self) { try await token(account) }
    try await group.app("mail").signIn(anna.response(2))
    await group.endpoint.response(anna.response(3, scope: "files.read"))
    #expect(try await token(account, scopes: ["files.read"]).accessToken == "at-3")
  }

  @Test("A request with claims is another request")
  func claims() async throws {
    let account = try await expired()
    await group.endpoint.response(body: #"{"error":"interaction_required"}"#, status: 400)
    await #expect(throws: SecretStoreError.self) { try await token(account, claims: #"{"a":1}"#) }
    await #expect(throws: SecretStoreError.self) { try await token(account, claims: #"{"a":1}"#) }
    #expect(await requests() == 1)
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account).accessToken == "at-2")
  }

  @Test("A clock that is set back does not throttle a server forever")
  func clockSetBack() async throws {
    let account = try await expired()
    await group.endpoint.response(body: "", status: 429, retryAfter: "3600")
    await #expect(throws: SecretStoreError.self) { try await token(account) }
    group.clock.advance(by: -86400)
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account).accessToken == "at-2")
  }

  @Test("A throttling record has no token, no account and no scope, and is removed after its end")
  func stored() async throws {
    let account = try await expired()
    await group.endpoint.response(body: "", status: 429)
    await #expect(throws: SecretStoreError.self) { try await token(account) }
    let first = try #require(try await group.stored()[.groupData("throttling")])
    let text = String(decoding: first, as: UTF8.self)
    for secret in ["rt-1", "mail.read", anna.uid, anna.username] { #expect(!text.contains(secret)) }
    group.clock.advance(by: 100)
    await group.endpoint.response(body: #"{"error":"invalid_grant"}"#, status: 400)
    await #expect(throws: SecretStoreError.self) { try await token(account) }
    let document = try await group.backend.record(for: .groupData("throttling"))?.document()
    #expect(document?[member: "throttling"]?.objectValue?.count == 1)
  }

  @Test("An unreadable record throttles no request")
  func corrupt() async throws {
    let account = try await expired()
    await group.backend.storeRaw(Array("{".utf8), for: .groupData("throttling"))
    await group.endpoint.response(anna.response(2))
    #expect(try await token(account).accessToken == "at-2")
  }

  @Test("A sign-in resets a refusal, even with the same refresh token")
  func resetBySignIn() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    group.clock.advance(by: 4000)
    await group.endpoint.response(body: #"{"error":"interaction_required"}"#, status: 400)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    try await group.app("mail").signIn(anna.response(1, scope: "files.read"))
    await group.endpoint.response(anna.response(3))
    let result = try? await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result?.accessToken == "at-3")
  }

  @Test("A throttled refusal is the same error as the first one")
  func sameError() async throws {
    let account = try await group.app("mail").signIn(anna.response(1))
    await group.endpoint.response(body: #"{"error":"invalid_grant"}"#, status: 400)
    var seen: [OAuthError?] = []
    for _ in 0..<2 {
      do {
        _ = try await group.app("mail").acquireTokenSilent(scopes: ["a"], account: account)
      } catch let error as SecretStoreError {
        seen.append(error.underlying as? OAuthError)
      }
    }
    #expect(seen[0] == seen[1])
  }
}
