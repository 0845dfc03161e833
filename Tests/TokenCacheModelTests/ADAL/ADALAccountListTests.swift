// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Accounts of ADAL in account lists")
struct ADALAccountListTests {
  private let group = SharedGroup()

  @Test("An account in both formats is one account with the identifier of either")
  func merged() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response(1))
    try await group.store(TestUser.anna.legacyRefreshToken())
    try await group.store(TestUser.boris.legacyRefreshToken())
    try await group.store(
      TestUser.boris.legacyRefreshToken(authority: "https://login.windows.net/contoso.com", knowsHome: true))
    let accounts = try await mail.accounts()
    #expect(accounts.map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
    #expect(accounts.map(\.identifier) == [TestUser.anna.identifier, TestUser.boris.identifier])
  }

  @Test("One name with two identifiers is two accounts")
  func twoIdentifiers() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response(1))
    var other = TestUser.anna.legacyRefreshToken()
    other.homeAccountID = TestUser.boris.identifier
    try await group.store(other)
    #expect(try await mail.accounts().count == 2)
    #expect(try await code { _ = try await mail.account(username: "anna@contoso.com") } == .ambiguousAccount)
  }

  @Test("Other clients' accounts, AD FS's single-resource accounts and access tokens alone are not listed")
  func notListed() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken(client: SharedGroup.office))
    var access = ADALToken(
      authority: "https://login.windows.net/common", resource: SharedGroup.graph, clientID: SharedGroup.suite)
    access.accessToken = "at"
    access.userID = "anna@contoso.com"
    try await group.store(access)
    access.refreshToken = "rt"
    access.userID = "boris@contoso.com"
    try await group.store(access)
    #expect(try await group.app("mail").accounts().isEmpty)
  }

  @Test("A client in no family does not see a family's sign-in")
  func outsider() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken(client: "foci-1"))
    #expect(try await group.app("mail").accounts().map(\.username) == ["anna@contoso.com"])
    try await group.app("mail").signIn(TestUser.boris.response(1))
    #expect(try await group.app("mail").accounts().map(\.username) == ["boris@contoso.com"])
  }

  @Test("An account that was signed out everywhere returns through neither format")
  func everywhere() async throws {
    try await group.adal("old").signIn(TestUser.anna.adalResponse(family: "1"))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    let account = try #require(try await directory.accounts(named: "anna@contoso.com").first)
    try await directory.signOut(account)
    #expect(try await directory.accounts().isEmpty)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.adal("old").users().isEmpty)
    #expect(try await group.adal("old", .ownFormat).users().isEmpty)
    #expect(try await group.legacyItems().allSatisfy { $0.accessToken == nil && $0.kind == nil })
  }

  @Test("The user's list shows ADAL's accounts, and the user can sign a client out of one without identifier")
  func directory() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    try await group.store(TestUser.anna.legacyRefreshToken(client: SharedGroup.office))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    let account = try #require(try await directory.accounts().first)
    #expect(account.clients.sorted() == [SharedGroup.suite, SharedGroup.office].sorted())
    try await directory.signOut(account, clientID: SharedGroup.suite)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.app("other", client: SharedGroup.office).accounts().count == 1)
    try await directory.removeEverything(recordedAs: "test", clock: group.clock)
    #expect(try await group.legacyItems().isEmpty)
  }

  @Test("With ADAL sharing off, and at other providers, ADAL's items are not read")
  func turnedOff() async throws {
    try await group.store(TestUser.anna.legacyRefreshToken())
    let off = try group.app("mail") { $0.sharesWithADAL = false }
    #expect(try await off.accounts().isEmpty)
    let b2c = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin"
    for authority in ["https://id.contoso.com", b2c] {
      #expect(try await group.app("mail", authority: authority).accounts().isEmpty)
    }
    for authority in [SharedGroup.azure, "https://adfs.contoso.com/adfs"] {
      #expect(try await group.app("mail", authority: authority).accounts().count == 1)
    }
  }

  @Test("A single-account app sees a change of the user, and no change when its user is migrated")
  func currentAccount() async throws {
    let mail = try group.app("mail")
    try await group.store(TestUser.anna.legacyRefreshToken())
    #expect(try await mail.currentAccount().hasChanged)
    #expect(try await mail.currentAccount().hasChanged == false)
    try await group.backend.remove(.legacy(TestUser.anna.legacyRefreshToken()))
    try await group.store(TestUser.boris.legacyRefreshToken())
    #expect(try await mail.currentAccount().hasChanged)
    let boris = try #require(try await mail.account())
    await group.endpoint.response(TestUser.boris.response(2))
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: boris)
    for before in ["", TestUser.boris.identifier] {
      let current = try await mail.currentAccount()
      #expect(current.previousIdentifier == before)
      #expect(current.account?.identifier == TestUser.boris.identifier && !current.hasChanged)
    }
  }

  @Test("A learned cloud is one cloud for ADAL's items, too")
  func learnt() async throws {
    let cloud = InstanceDiscovery.Cloud(
      preferredNetwork: "login.new.example", preferredCache: "login.cache.example",
      aliases: ["login.new.example", "login.cache.example"])
    func cache(_ host: String) throws -> TokenCache {
      TokenCache(
        backend: group.backend, app: try SharedGroup.id("mail"), clientID: SharedGroup.suite,
        authority: try Authority("https://\(host)/common", kind: .aad), endpoint: group.endpoint,
        options: group.options)
    }
    try await cache("login.new.example").learn(InstanceDiscovery(clouds: [cloud]))
    try await group.store(
      TestUser.anna.legacyRefreshToken("new-rt", authority: "https://login.new.example/common"))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    #expect(try await directory.accounts().map(\.environment) == ["login.cache.example"])
    for host in ["login.new.example", "login.cache.example"] {
      let mail = try cache(host)
      let account = try #require(try await mail.account())
      await group.endpoint.response(TestUser.anna.response(2))
      #expect(
        try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
      #expect(try await mail.accounts().map(\.identifier) == [TestUser.anna.identifier])
      var changes = mail.changes().makeAsyncIterator()
      guard case .snapshot(let snapshot) = await changes.next() else {
        Issue.record("no snapshot")
        return
      }
      #expect(snapshot.accounts.map(\.identifier) == [TestUser.anna.identifier])
    }
    #expect(await group.endpoint.requests.count == 1)
  }

  @Test("An account of MSAL keeps its name and its profiles beside ADAL's item of the same account")
  func keepsMSALsData() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response(1))
    let before = try await mail.accounts()
    try await group.store(TestUser.anna.legacyRefreshToken(knowsHome: true))
    let after = try await mail.accounts()
    #expect(after.map(\.name) == ["A Person"] && after.map(\.tenantProfiles) == before.map(\.tenantProfiles))
  }

  @Test("The tenant of ADAL's item is the home tenant if the identifier says so, or if there is none")
  func homeTenant() {
    func isHome(_ tenant: String, knowsHome: Bool) -> [Bool]? {
      var token = TestUser.anna.legacyRefreshToken(knowsHome: knowsHome)
      token.tenantID = tenant
      return Account(token, .shipped)?.tenantProfiles.map(\.isHome)
    }
    let home = TestUser.anna.utid.uppercased()
    #expect(isHome(home, knowsHome: true) == [true])
    #expect(isHome("another", knowsHome: true) == [false])
    #expect(isHome("another", knowsHome: false) == [true])
  }

  @Test(
    "IDs tell whose an item is where several accounts have its user name, except a guest's and a policy's")
  func namesakes() {
    let twin = Account(
      identifier: TestUser.boris.identifier, username: TestUser.anna.username,
      environment: "login.windows.net")
    let anna = Account(
      identifier: TestUser.anna.identifier, username: TestUser.anna.username, environment: "login.windows.net"
    )
    func item(_ provider: String?, _ authority: String = "https://login.windows.net/common") -> ADALToken {
      var token = TestUser.anna.legacyRefreshToken(authority: authority)
      (token.uniqueID, token.tenantID) = (TestUser.anna.uid, TestUser.anna.utid)
      token.identityProvider = provider
      return token
    }
    let atHome = [nil, "https://sts.windows.net/\(TestUser.anna.utid.uppercased())/"].map { item($0) }
    for token in atHome {
      #expect(token.isOf(anna, .shipped) && !token.isOf(twin, .shipped))
      #expect(Account(token, .shipped) == anna)
    }
    let asGuest = item("live.com")
    #expect(asGuest.isOf(twin, .shipped))
    #expect(Account(asGuest, .shipped)?.identifier.isEmpty == true)
    let ofPolicy = item(nil, "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin")
    #expect(Account(ofPolicy, .shipped)?.identifier.isEmpty == true)
    let accounts = IndexedAccounts([twin, anna])
    #expect(ADALUser(atHome[0]).flatMap { accounts.index(of: $0, in: "login.windows.net") } == 1)
    #expect(ADALUser(asGuest).flatMap { accounts.index(of: $0, in: "login.windows.net") } == 0)
  }

  @Test(
    "An index finds an account under the names of its last value, and one without an identifier by its name")
  func index() {
    func account(_ identifier: String, _ username: String) -> Account {
      Account(identifier: identifier, username: username, environment: "host")
    }
    func user(_ name: String, _ identifier: String? = nil) -> ADALUser {
      ADALUser(userID: name, homeAccountID: identifier)
    }
    var accounts = IndexedAccounts([account("", "anna"), account("", "boris")])
    #expect(accounts.index(of: user("anna", "a.t"), in: "host") == 0)
    #expect(accounts.index(of: user("anna", "a.t"), in: "elsewhere") == nil)
    accounts.replace(0, with: account("a.t", "anna.new"))
    #expect(accounts.index(of: user("anna"), in: "host") == nil)
    #expect(accounts.index(of: user("anna.new"), in: "host") == 0)
    #expect(accounts.index(of: user("other", "a.t"), in: "host") == 0)
    #expect(accounts.index(of: user("anna.new", "b.t"), in: "host") == nil)
    #expect(accounts.index(of: user("boris"), in: "host") == 1)
  }
}
