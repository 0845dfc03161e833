// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("MSAL takes up a sign-in of ADAL's")
struct TakingUpTests {
  private let group = SharedGroup()

  private func code(_ body: () async throws -> Void) async throws -> SecretStoreError.Code? {
    do {
      try await body()
      return nil
    } catch let error as SecretStoreError {
      return error.code
    }
  }

  @Test("The first silent call redeems the refresh token and brings the identifier, by which it goes on")
  func takenUp() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let old = try #require(try await mail.account(username: "Anna@Contoso.com"))
    #expect(old.identifier.isEmpty && old.username == "anna@contoso.com")
    #expect(old.environment == "login.windows.net")
    await group.endpoint.answer(Person.anna.answer(2))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old)
    #expect(result.accessToken == "at-2" && result.source == .refresh)
    #expect(result.account.identifier == Person.anna.identifier)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt"])
    #expect(await group.endpoint.requests.allSatisfy { $0.resource == nil })

    let known = try #require(try await mail.account(identifier: Person.anna.identifier))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: known).accessToken == "at-2")
    #expect(try await mail.accounts().map(\.identifier) == [Person.anna.identifier])
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: old).source == .cache)
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("ADAL's item is left as it was")
  func leftAlone() async throws {
    let token = Person.anna.legacyRefreshToken()
    try await group.plant(token)
    await group.endpoint.answer(Person.anna.answer(2))
    let mail = try group.app("mail")
    _ = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: try #require(try await mail.account()))
    #expect(try await group.legacyItems() == [token])
  }

  @Test("An account whose identifier ADAL has learnt is found by it at once, its name unknown or not")
  func knownIdentifier() async throws {
    try await group.plant(Person.anna.legacyRefreshToken(knowsHome: true))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account(identifier: Person.anna.identifier))
    await group.endpoint.answer(Person.anna.answer(2))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
  }

  @Test("An account of both formats is one account, the identifier of either")
  func merged() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(Person.anna.answer(1))
    try await group.plant(Person.anna.legacyRefreshToken())
    try await group.plant(Person.boris.legacyRefreshToken())
    try await group.plant(
      Person.boris.legacyRefreshToken(authority: "https://login.windows.net/contoso.com", knowsHome: true))
    let accounts = try await mail.accounts()
    #expect(accounts.map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
    #expect(accounts.map(\.identifier) == [Person.anna.identifier, Person.boris.identifier])
  }

  @Test(
    "A user whom ADAL and MSAL know by two names is one by the object id",
    arguments: [nil, "anna@corp.local"])
  func twoNames(upn: String?) async throws {
    var token = Person.anna.legacyRefreshToken()
    token.userID = "anna@corp.local"
    token.uniqueID = Person.anna.uid
    token.tenantID = Person.anna.utid
    try await group.plant(token)
    let mail = try group.app("mail")
    var claims: JSONObject = [
      "sub": "s", "oid": .string(Person.anna.uid), "tid": .string(Person.anna.utid),
      "preferred_username": "anna@contoso.com",
    ]
    claims["upn"] = upn.map(JSONValue.string)
    await group.endpoint.answer(
      Person.anna.answer(2, changing: ["id_token": .string(JSONValue.object(claims).idToken)]))
    let account = try #require(try await mail.account(username: "anna@corp.local"))
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
    #expect(try await mail.accounts().map(\.identifier) == [Person.anna.identifier])
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("One name with two identifiers is two accounts")
  func twoIdentifiers() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(Person.anna.answer(1))
    var other = Person.anna.legacyRefreshToken()
    other.homeAccountID = Person.boris.identifier
    try await group.plant(other)
    #expect(try await mail.accounts().count == 2)
    #expect(try await code { _ = try await mail.account(username: "anna@contoso.com") } == .ambiguousAccount)
  }

  @Test("Accounts of other clients, of AD FS's single resources and of access tokens alone are not listed")
  func notListed() async throws {
    try await group.plant(Person.anna.legacyRefreshToken(client: SharedGroup.office))
    var access = ADALToken(
      authority: "https://login.windows.net/common", resource: SharedGroup.graph, clientID: SharedGroup.suite)
    access.accessToken = "at"
    access.userID = "anna@contoso.com"
    try await group.plant(access)
    access.refreshToken = "rt"
    access.userID = "boris@contoso.com"
    try await group.plant(access)
    #expect(try await group.app("mail").accounts().isEmpty)
  }

  @Test("A client that is in no family does not see a family's sign-in")
  func outsider() async throws {
    try await group.plant(Person.anna.legacyRefreshToken(client: "foci-1"))
    #expect(try await group.app("mail").accounts().map(\.username) == ["anna@contoso.com"])
    try await group.app("mail").signIn(Person.boris.answer(1))
    #expect(try await group.app("mail").accounts().map(\.username) == ["boris@contoso.com"])
  }

  @Test("An answer for another user is dropped", arguments: [true, false])
  func mismatch(knowsHome: Bool) async throws {
    try await group.plant(Person.anna.legacyRefreshToken(knowsHome: knowsHome))
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    await group.endpoint.answer(Person.boris.answer(2))
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .accountMismatch)
    #expect(try await mail.accounts() == [account])
  }

  @Test(
    "A refused refresh token asks for the user; it is buried only when the server says that it is bad",
    arguments: [("invalid_grant", nil, false), ("invalid_grant", "bad_token", true)]
      as [(String, String?, Bool)])
  func refused(error: String, suberror: String?, isGone: Bool) async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let mail = try group.app("mail")
    let account = try #require(try await mail.account())
    var answer: JSONObject = ["error": .string(error)]
    answer["suberror"] = suberror.map(JSONValue.string)
    await group.endpoint.answer(answer, status: 400)
    #expect(
      try await code { _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account) }
        == .interactionRequired)
    #expect(try await group.legacyItems(.multiResourceRefreshToken).isEmpty == isGone)
    #expect(try await mail.accounts().isEmpty == isGone)
  }

  @Test("ADAL's is tried when MSAL's own refresh token is refused")
  func fallBack() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(Person.anna.answer(1))
    try await group.plant(Person.anna.legacyRefreshToken())
    await group.endpoint.answer(["error": "invalid_grant"], status: 400)
    await group.endpoint.answer(Person.anna.answer(3, scope: "calendar.read"))
    #expect(
      try await mail.acquireTokenSilent(scopes: ["calendar.read"], account: account).accessToken == "at-3")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1", "legacy-rt"])
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-3"])
  }

  @Test("Apps that start together take it up once")
  func together() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let account = try #require(try await group.app("app0").account())
    await group.endpoint.answer(Person.anna.answer(2))
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

  @Test("An account that was signed out everywhere comes back through neither format")
  func everywhere() async throws {
    try await group.adal("old").signIn(Person.anna.adalAnswer(family: "1"))
    let directory = AccountDirectory(backend: group.backend)
    let account = try #require(try await directory.accounts(named: "anna@contoso.com").first)
    try await directory.signOut(account)
    #expect(try await directory.accounts().isEmpty)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.adal("old").users().isEmpty)
    #expect(try await group.adal("old", .ownFormat).users().isEmpty)
    #expect(try await group.legacyItems().allSatisfy { $0.accessToken == nil && $0.kind == nil })
  }

  @Test(
    "The person at the keyboard sees ADAL's accounts, and signs a client out of one that has no identifier")
  func directory() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    try await group.plant(Person.anna.legacyRefreshToken(client: SharedGroup.office))
    let directory = AccountDirectory(backend: group.backend)
    let account = try #require(try await directory.accounts().first)
    #expect(account.clients.sorted() == [SharedGroup.suite, SharedGroup.office].sorted())
    try await directory.signOut(account, clientID: SharedGroup.suite)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.app("other", client: SharedGroup.office).accounts().count == 1)
    try await directory.removeEverything(by: "test", clock: group.clock)
    #expect(try await group.legacyItems().isEmpty)
  }

  @Test("Where sharing with ADAL is turned off, and at other providers, its items are not looked at")
  func turnedOff() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let off = try group.app("mail") { $0.sharesWithADAL = false }
    #expect(try await off.accounts().isEmpty)
    #expect(try await group.app("mail", authority: "https://id.contoso.com").accounts().isEmpty)
  }
}
