// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Synchronization
import Testing

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Reuse of an ADAL sign-in by MSAL")
struct ADALSignInReuseTests {
  private let group = SharedGroup()

  @Test("The first silent call redeems the refresh token and stores the identifier, which later calls use")
  func migrated() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let old = try #require(try await mail.account(username: "Anna@Contoso.com"))
    #expect(old.identifier.isEmpty && old.username == "anna@contoso.com")
    #expect(old.environment == "login.microsoftonline.com")
    await group.endpoint.response(TestUser.anna.response(2))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old)
    #expect(result.accessToken == "at-2" && result.source == .refresh)
    #expect(result.account.identifier == TestUser.anna.identifier)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt"])
    #expect(await group.endpoint.requests.allSatisfy { $0.resource == nil })

    let known = try #require(try await mail.account(identifier: TestUser.anna.identifier))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: known).accessToken == "at-2")
    #expect(try await mail.accounts().map(\.identifier) == [TestUser.anna.identifier])
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old).source == .cache)
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("ADAL's item remains unchanged")
  func leftAlone() async throws {
    let token = TestUser.anna.legacyRefreshToken()
    try await group.store(token)
    await group.endpoint.response(TestUser.anna.response(2))
    let mail = try group.app("mail")
    _ = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: try #require(try await mail.account()))
    #expect(try await group.legacyItems() == [token])
  }

  @Test("A response that names nobody brings no account, and its refresh token replaces the redeemed one")
  func namesNobody() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    let nobody: JSONObject = ["client_info": .null, "id_token": .null]
    await group.endpoint.response(TestUser.anna.response(2, changing: nobody))
    let error = await #expect(throws: SecretStoreError(.missingClientInfo, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("client_info") == true)
    #expect(try await group.legacyItems().map(\.refreshToken) == ["rt-2"])
    #expect(try await mail.accounts() == [account])
    await group.endpoint.response(TestUser.anna.response(3))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt", "rt-2"])
  }

  @Test("A refresh token that can't be stored beside its account is in the error")
  func unsavedOfNobody() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let failing = FailingBackend(inner: group.backend, writeError: SecretStoreError(.storageFailed, "No."))
    let mail = try group.app("mail", through: failing)
    let account = try #require(try await mail.account())
    await group.endpoint.response(
      TestUser.anna.response(2, changing: ["client_info": .null, "id_token": .null]))
    let error = await #expect(throws: SecretStoreError(.missingClientInfo, "")) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.unsaved?.response.refreshToken == "rt-2" && error?.unsaved?.losesRefreshToken == true)
  }

  @Test("An account whose identifier ADAL stored is found by it at once, with or without a name")
  func knownIdentifier() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken(knowsHome: true))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account(identifier: TestUser.anna.identifier))
    await group.endpoint.response(TestUser.anna.response(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
  }

  @Test(
    "A user with different names in ADAL and MSAL is one account by the object ID",
    arguments: [nil, "anna@corp.local"])
  func twoNames(upn: String?) async throws {
    var token = TestUser.anna.legacyRefreshToken()
    token.userID = "anna@corp.local"
    token.uniqueID = TestUser.anna.uid
    token.tenantID = TestUser.anna.utid
    try await group.store(token)
    let mail = try group.app("mail")
    var claims: JSONObject = [
      "sub": "s", "oid": .string(TestUser.anna.uid), "tid": .string(TestUser.anna.utid),
      "preferred_username": "anna@contoso.com",
    ]
    claims["upn"] = upn.map(JSONValue.string)
    await group.endpoint.response(
      TestUser.anna.response(2, changing: ["id_token": .string(JSONValue.object(claims).idToken)]))
    let account = try #require(try await mail.account(username: "anna@corp.local"))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(try await mail.accounts().map(\.identifier) == [TestUser.anna.identifier])
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A response for another user is discarded", arguments: [true, false])
  func mismatch(knowsHome: Bool) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken(knowsHome: knowsHome))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.response(TestUser.boris.response(2))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .accountMismatch)
    #expect(try await mail.accounts() == [account])
  }

  @Test(
    "A refused refresh token requires interaction; a server error bad_token makes it a tombstone",
    arguments: [("invalid_grant", nil, false), ("invalid_grant", "bad_token", true)]
      as [(String, String?, Bool)])
  func refused(error: String, suberror: String?, isGone: Bool) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    var response: JSONObject = ["error": .string(error)]
    response["suberror"] = suberror.map(JSONValue.string)
    await group.endpoint.response(response, status: 400)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await group.legacyItems(.multiResourceRefreshToken).isEmpty == isGone)
    #expect(try await mail.accounts().isEmpty == isGone)
  }

  @Test("The family's refresh token is sent if the client's is refused, not if the server fails")
  func family() async throws {
    for (error, expected, sent) in [
      ("invalid_grant", "at-2", ["legacy-rt", "family's"]), ("invalid_client", nil, ["legacy-rt"]),
    ] {
      let group = SharedGroup()
      try await group.store(TestUser.anna.legacyRefreshToken())
      try await group.store(TestUser.anna.legacyRefreshToken("family's", client: "foci-1"))
      let mail = try group.app("mail")
      let account = try #require(try await mail.account())
      await group.endpoint.response(["error": .string(error)], status: 400)
      await group.endpoint.response(TestUser.anna.response(2))
      let result = try? await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result?.accessToken == expected)
      #expect(await group.endpoint.requests.map(\.refreshToken) == sent)
    }
  }

  @Test("ADAL's refresh token is sent if MSAL's own is refused")
  func fallBack() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(TestUser.anna.response(1))
    try await group.store(TestUser.anna.legacyRefreshToken())
    await group.endpoint.response(["error": "invalid_grant"], status: 400)
    await group.endpoint.response(TestUser.anna.response(3, scope: "calendar.read"))
    #expect(
      try await mail.acquireTokenSilent(scopes: ["calendar.read"], account: account).accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "legacy-rt"])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-3"])
  }

  @Test("Concurrent apps migrate the sign-in once")
  func together() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let account = try #require(try await group.app("app0").account())
    await group.endpoint.response(TestUser.anna.response(2))
    let caches = try (0..<6).map { try group.app("app\($0)") }
    let tokens = try await withThrowingTaskGroup { tasks in
      for cache in caches {
        tasks.addTask {
          try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken
        }
      }
      return try await tasks.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["at-2"])
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("A user with the same name in another cloud is another user", arguments: [true, false])
  func otherCloud(isADAL: Bool) async throws {
    try await group.app("mail", authority: "https://login.microsoftonline.us/common").signIn(
      TestUser.anna.response(1))
    let mail = try group.app("mail")
    if isADAL {
      #expect(try await group.adal("mail").users().isEmpty)
      return
    }
    try await group.store(TestUser.anna.legacyRefreshToken())
    let account = Account(identifier: "", username: "anna@contoso.com", environment: "login.windows.net")
    await group.endpoint.response(TestUser.anna.response(2))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2" && result.account.environment == "login.microsoftonline.com")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt"])
  }

  @Test("A call that finds the sign-in migrated continues without ADAL's lease and does not wait")
  func noDeadlock() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let old = try #require(try await group.app("mail").account())
    var watched = WatchedBackend(inner: group.backend)
    let first = Mutex(true)
    watched.beforeLease = { [group] key in
      guard key.kind == .legacy, first.withLock({ $0.take() }) else { return }
      await group.endpoint.response(TestUser.anna.response(2))
      _ = try await group.app("first").acquireTokenSilent(scopes: ["mail.read"], account: old)
      await group.endpoint.response(["error": "invalid_grant"], status: 400)
      await group.endpoint.response(TestUser.anna.response(4, scope: "calendar.read"))
    }
    let second = try group.app("second", through: watched)
    #expect(
      try await second.acquireTokenSilent(scopes: ["calendar.read"], account: old).accessToken == "at-4")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt", "rt-2", "legacy-rt"])
  }
}
