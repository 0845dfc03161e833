// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL: sign-out beside MSAL")
struct ADALSignOutTests {
  private let group = SharedGroup()

  @Test("Signing out with an account value from before its migration signs out the migrated account")
  func keptAccount() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let old = try #require(try await mail.account())
    await group.endpoint.response(TestUser.anna.response(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old)
    try await mail.signOut(old)
    #expect(try await mail.accounts().isEmpty)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old) }
        == .interactionRequired)
  }

  @Test("The user's sign-out with an account value from before its migration signs out the migrated account")
  func keptByPerson() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    let old = try #require(try await directory.accounts().first)
    await group.endpoint.response(TestUser.anna.response(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old)
    try await directory.signOut(old)
    #expect(try await directory.accounts().isEmpty)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test(
    "A response that arrives after the app's sign-out during a migration is discarded",
    arguments: [true, false])
  func signOutDuringMigration(knowsHome: Bool) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken(knowsHome: knowsHome))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.response(TestUser.anna.response(2))
    await group.endpoint.beforeResponding { try await mail.signOut(account) }
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test(
    "An app that signs out between the read and the write of a migration stays signed out",
    arguments: [true, false])
  func whileWriting(isADAL: Bool) async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    var watched = WatchedBackend(inner: group.backend)
    let isFirst = Mutex(true)
    watched.beforeUpdate = { [group] key in
      guard key.kind == (isADAL ? .legacy : .credentials), isFirst.withLock({ $0.take() })
      else { return }
      try await group.adal("mail", .ownFormat).signOut(userID: "anna@contoso.com")
    }
    await group.endpoint.response(isADAL ? TestUser.anna.adalResponse(2) : TestUser.anna.response(2))
    let code = try await code {
      if isADAL {
        _ = try await group.adal("mail", .ownFormat, through: watched).acquireTokenSilent(
          resource: SharedGroup.graph)
      } else {
        _ = try await group.app("mail", through: watched).acquireTokenSilent(
          scopes: ["mail.read"], account: account)
      }
    }
    #expect(code == .interactionRequired)
    #expect(try await mail.accounts().isEmpty)
    #expect(try await group.adal("mail", .ownFormat).users().isEmpty)
  }

  private func detail(of old: ADALTokenCache, userID: String?) async throws -> String {
    let error = await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await old.acquireTokenSilent(resource: SharedGroup.graph, userID: userID)
    }
    return try #require(error?.detail)
  }

  @Test(
    "The next error of an app of ADAL names who removed its user's tokens, or everything",
    arguments: ["everywhere", "client", "everything"])
  func whoRemoved(way: String) async throws {
    let old = try group.adal("old")
    try await old.signIn(TestUser.anna.adalResponse(1))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    let account = try #require(try await directory.accounts().first)
    let name = "com.contoso.calendar"
    switch way {
    case "everywhere": try await directory.signOut(account, recordedAs: name, clock: group.clock)
    case "client":
      try await directory.signOut(
        account, clientID: SharedGroup.suite, recordedAs: name, clock: group.clock)
    default: try await directory.removeEverything(recordedAs: name, clock: group.clock)
    }
    for userID in [TestUser.anna.username, nil] {
      let detail = try await detail(of: old, userID: userID)
      #expect(detail.contains("\(name) removed") && detail.contains("2023-11-14T22:13:20Z"), "\(detail)")
    }
  }

  @Test("An app of ADAL that signed out itself is told of no other app")
  func ownSignOut() async throws {
    let old = try group.adal("old")
    try await old.signIn(TestUser.anna.adalResponse(1))
    try await old.signOut(userID: TestUser.anna.username)
    #expect(try await !detail(of: old, userID: TestUser.anna.username).contains("removed"))
  }

  @Test("A signed-out app stays signed out when another app signs in under another tenant")
  func anotherTenant() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    try await mail.signOut(try #require(try await mail.account()))
    try await group.store(
      TestUser.anna.legacyRefreshToken("other-rt", authority: "https://login.windows.net/contoso.com"))
    #expect(try await mail.accounts().isEmpty)
    #expect(
      try await group.adal("mail", .ownFormat, authority: "https://login.windows.net/contoso.com").users()
        .isEmpty)
    #expect(try await group.app("other").accounts().count == 1)
  }

  @Test("An app signed out of MSAL's account stays signed out after a later ADAL sign-in")
  func laterSignIn() async throws {
    let mail = try group.app("mail")
    try await mail.signOut(try await mail.signIn(TestUser.anna.response(1)))
    try await group.store(TestUser.anna.legacyRefreshToken())
    #expect(try await mail.accounts().isEmpty)
    let kept = Account(identifier: "", username: "anna@contoso.com", environment: "login.windows.net")
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: kept) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("A sign-in through ADAL signs an app in again that signed out of MSAL's account")
  func signInThroughADAL() async throws {
    let mail = try group.app("mail")
    try await mail.signOut(try await mail.signIn(TestUser.anna.response(1)))
    try await group.adal("mail").signIn(TestUser.anna.adalResponse(2))
    let account = try #require(try await mail.account(identifier: TestUser.anna.identifier))
    #expect(try await mail.signInState(of: account) == .signedIn)
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test(
    "An app signed out of a sibling's account and of one in another cloud gets a third account of ADAL",
    arguments: [false, true])
  func anotherAccount(knowsHome: Bool) async throws {
    let mail = try group.app("mail")
    let boris = try await group.app("calendar").signIn(TestUser.boris.response(1))
    try await mail.signOut(boris)
    let government = try group.app("mail", authority: "https://login.microsoftonline.us/common")
    try await government.signOut(try await government.signIn(TestUser.anna.response(1)))
    try await group.store(TestUser.anna.legacyRefreshToken(knowsHome: knowsHome))
    #expect(try await mail.accounts().map(\.username) == [TestUser.anna.username])
    let anna = try #require(try await mail.account())
    await group.endpoint.response(TestUser.anna.response(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: anna).accessToken == "at-2")
  }

  @Test("ADAL signs out of a name that two accounts have")
  func twoAccounts() async throws {
    let other = TestUser(uid: TestUser.boris.uid, utid: TestUser.boris.utid, username: TestUser.anna.username)
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response(1))
    try await mail.signIn(other.response(2))
    let adal = try group.adal("mail")
    try await adal.signIn(TestUser.anna.adalResponse(3))
    try await adal.signOut(userID: "anna@contoso.com")
    #expect(try await adal.users().isEmpty)
    #expect(try await mail.accounts().isEmpty)
  }

  @Test("ADAL signs out of a name in every cloud and at AD FS, and of Azure AD's user at an issuer's URL")
  func everyCloud() async throws {
    let elsewhere = ["https://login.microsoftonline.us/common", "https://adfs.contoso.com/adfs"]
    for authority in [SharedGroup.azure] + elsewhere {
      try await group.store(TestUser.anna.legacyRefreshToken(authority: authority))
    }
    try await group.adal("old").signOut(userID: TestUser.anna.username)
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
    let issuer = "https://id.contoso.com/red"
    try await group.store(TestUser.anna.legacyRefreshToken(authority: issuer, knowsHome: true))
    let cache = try group.adal("old", .ownFormat, authority: issuer)
    #expect(try await cache.users().count == 1)
    try await cache.signOut(userID: TestUser.anna.username)
    #expect(try await cache.users().isEmpty)
  }

  @Test("A user with tokens for one resource only is found by name and signed out everywhere")
  func singleResource() async throws {
    var token = ADALToken(
      authority: "https://adfs.contoso.com/adfs", resource: "https://crm.contoso.com",
      clientID: SharedGroup.suite)
    (token.userID, token.accessToken, token.refreshToken) = ("anna@contoso.com", "AT1", "RT1")
    try await group.store(token)
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    #expect(try await directory.accounts().isEmpty)
    let account = try #require(try await directory.accounts(named: "anna@contoso.com").first)
    try await group.app("mail").signIn(TestUser.anna.response())
    let named = try await directory.accounts(named: "anna@contoso.com")
    #expect(Set(named.map(\.environment)) == ["adfs.contoso.com", "login.microsoftonline.com"])
    try await directory.signOut(account)
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
    #expect(
      try await directory.accounts(named: "anna@contoso.com").map(\.identifier) == [TestUser.anna.identifier])
  }

  @Test("An app that signed out in ADAL's format no longer finds the account by its identifier")
  func byIdentifier() async throws {
    try await group.adal("app", .ownFormat).signIn(TestUser.anna.adalResponse(1, hasClientInfo: false))
    try await group.adal("sibling").signIn(TestUser.anna.adalResponse(2))
    try await group.adal("app", .ownFormat).signOut(userID: "anna@contoso.com")
    let app = try group.app("app")
    #expect(try await app.accounts().isEmpty)
    #expect(try await app.account(identifier: TestUser.anna.identifier) == nil)
    let kept = try #require(try await group.app("sibling").account())
    await group.endpoint.response(TestUser.anna.response(3))
    #expect(
      try await code { _ = try await app.acquireTokenSilent(scopes: ["mail.read"], account: kept) }
        == .interactionRequired)
    #expect(await group.endpoint.requests.isEmpty)
  }

  @Test("Signing out of an account in one cloud leaves AD FS's user of the same name")
  func otherProvider() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(TestUser.anna.response(1))
    let adfs = try group.adal("mail", authority: "https://adfs.contoso.com/adfs")
    try await adfs.signIn(TestUser.anna.adalResponse(2, changing: ["resource": .null, "client_info": .null]))
    try await mail.signOut(account)
    #expect(try await adfs.users().count == 1)
    #expect(try await mail.accounts().isEmpty)
  }
}
