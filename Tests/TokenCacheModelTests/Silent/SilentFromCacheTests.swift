// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Silent calls from the cache")
struct SilentFromCacheTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  @Test("An access token is returned although there is no ID token beside it")
  func withoutIDToken() async throws {
    try await group.app("mail").signIn(anna.response(1, changing: ["id_token": .null]))
    let calendar = try group.app("calendar")
    let account = try #require(try await calendar.account())
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
    #expect(result.source == .cache)
    #expect(result.idToken == nil)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("The second app gets the token silently without a call to the endpoint")
  func secondApp() async throws {
    try await group.app("mail").signIn(anna.response())
    let calendar = try group.app("calendar")
    let account = try #require(try await calendar.accounts().first)
    let result = try await calendar.acquireTokenSilent(scopes: ["Mail.Read"], account: account)
    #expect(result.accessToken == "at-1")
    #expect(result.tokenType == "Bearer")
    #expect(result.expiresOn == TestClock.start + 3600)
    #expect(result.scopes == ["mail.read", "openid", "profile"])
    #expect(result.tenant == anna.utid)
    #expect(result.account == account)
    #expect(result.source == .cache)
    #expect(result.saveError == nil)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("The first silent token of an app costs one write, which records the app as using the account")
  func firstTime() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let calendar = try group.app("calendar")
    for _ in 0..<3 {
      _ = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
      let metadata = try #require(try await group.document()).metadata
      #expect(metadata.revision == 2)
      #expect(metadata[try SharedGroup.id("calendar")] == .signedIn)
    }
  }

  @Test("If that write fails, the token is returned with the error beside it")
  func firstWriteFails() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let error = SecretStoreError(.storageFailed, "The disk is full.")
    let calendar = try group.app(
      "calendar", through: FailingBackend(inner: group.backend, writeError: error))
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
    #expect(result.saveError == error)
  }

  @Test("An account that is signed out between the look-up and that write is neither returned nor marked")
  func signedOutMeanwhile() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response())
    let backend = FailingBackend(inner: group.backend, beforeWriting: { try await mail.signOut(account) })
    let calendar = try group.app("calendar", through: backend)
    await #expect(throws: interaction) {
      try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(try await group.document()?.metadata.apps(.signedIn) == [])
  }

  @Test("Without a scope the call is refused", arguments: [[], [" "]] as [Scopes])
  func noScope(_ scopes: Scopes) async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response())
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await mail.acquireTokenSilent(scopes: scopes, account: account)
    }
  }

  @Test("Without an endpoint a token that is not in the cache throws interactionRequired")
  func offline() async throws {
    let mail = try group.app("mail", isOnline: false)
    let account = try await mail.signIn(anna.response())
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).source == .cache)
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["files.read"], account: account)
    }
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, tenant: "other")
    }
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
    group.clock.advance(by: 3300)
    await #expect(throws: interaction) {
      try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("An unknown account, or another client's, throws interactionRequired without a request")
  func unknown() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let office = try group.app("office", client: SharedGroup.office)
    let boris = try await SharedGroup().app("mail").signIn(TestUser.boris.response())
    for (cache, account) in [(office, account), (try group.app("mail"), boris)] {
      await #expect(throws: interaction) {
        try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
      }
    }
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A locked or unreadable group throws its error, never interactionRequired")
  func locked() async throws {
    let account = try await group.app("mail").signIn(anna.response())
    for code in [SecretStoreError.Code.groupLocked, .serviceUnavailable, .timedOut] {
      let error = SecretStoreError(code, "No.")
      let mail = try group.app("mail", through: FailingBackend(inner: group.backend, readError: error))
      await #expect(throws: error) {
        try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
      }
    }
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await group.app("mail").acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test(
    "Each alias of the cloud and each name of the home tenant gives the home tenant's token",
    arguments: [
      "https://login.microsoftonline.com/common", "https://login.windows.net/organizations",
      "https://sts.windows.net/consumers", "https://login.microsoft.com",
      "https://login.microsoftonline.com/f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
    ])
  func aliases(authority: String) async throws {
    let account = try await group.app("mail").signIn(anna.response())
    let calendar = try group.app("calendar", authority: authority, isOnline: false)
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
  }

  @Test(
    "Outside Azure AD the second app is silent, too",
    arguments: [
      "https://id.contoso.com", "https://id.contoso.com:8443/realms/staff", "https://adfs.contoso.com/adfs",
    ])
  func openID(authority: String) async throws {
    let account = try await group.app("mail", authority: authority).signIn(anna.openIDResponse())
    let calendar = try group.app("calendar", authority: authority, isOnline: false)
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
  }

  @Test(
    "At B2C the second app is silent, whether or not the ID token names the tenant",
    arguments: [
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin",
      "https://login.microsoftonline.com/tfp/contoso.onmicrosoft.com/B2C_1_signin",
    ], [true, false])
  func b2c(authority: String, namesTenant: Bool) async throws {
    let person = TestUser(uid: anna.uid + "-b2c_1_signin", utid: anna.utid, username: "")
    let claims = namesTenant ? person.idToken : JSONValue.object(["sub": "s"]).idToken
    let response = person.response(changing: ["id_token": .string(claims)])
    let account = try await group.app("mail", authority: authority).signIn(response)
    let calendar = try group.app("calendar", authority: authority, isOnline: false)
    #expect(try await calendar.accounts() == [account])
    let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
  }

  @Test("A requested tenant gives that tenant's token")
  func tenant() async throws {
    let guest = "11111111-2222-3333-4444-555555555555"
    let mail = try group.app("mail", isOnline: false)
    let account = try await mail.signIn(anna.response(1))
    let claims: JSONObject = ["sub": "s", "tid": .string(guest)]
    try await mail.signIn(
      anna.response(2, changing: ["id_token": .string(JSONValue.object(claims).idToken)]))
    for (tenant, token) in [(nil, "at-1"), (anna.utid, "at-1"), (guest, "at-2")] {
      let result = try await mail.acquireTokenSilent(
        scopes: ["mail.read"], account: account, tenant: tenant)
      #expect(result.accessToken == token)
    }
    let other = try Authority("https://login.microsoftonline.com/\(guest)")
    let result = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: account, authority: other)
    #expect(result.accessToken == "at-2")
  }
}
