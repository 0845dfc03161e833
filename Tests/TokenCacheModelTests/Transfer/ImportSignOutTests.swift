// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Import of signed-out accounts")
struct ImportSignOutTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("An import omits an account that is signed out everywhere, by whatever name the file has it")
  func signedOut() async throws {
    try await group.app("mail").signIn(anna.response(1, family: "1"))
    try await group.signOutEverywhere()
    let files = [
      cacheFile(), cacheFile(client: SharedGroup.office), cacheFile(client: SharedGroup.office, family: "1"),
      cacheFile(family: "1"),
      cacheFile(host: "STS.windows.net"), cacheFile(identifier: anna.identifier.uppercased()),
    ]
    for file in files {
      let summary = try await group.importing(file)
      #expect(summary.signedOut == 1)
      #expect(try await group.secrets().isEmpty)
    }
    var legacy = anna.legacyRefreshToken("rt-old")
    #expect(try await group.importing(legacy).signedOut == 1)
    legacy.homeAccountID = anna.identifier
    legacy.userID = "another-name@contoso.com"
    #expect(try await group.importing(legacy).signedOut == 1)
    #expect(try await AccountDirectory(backend: group.backend, sharesWithADAL: true).accounts().isEmpty)
  }

  @Test(
    "An import omits an item whose IDs are a signed-out account's, by whatever name",
    arguments: [true, false])
  func otherNameOfADAL(isADAL: Bool) async throws {
    var item = anna.legacyRefreshToken("rt-old")
    (item.uniqueID, item.tenantID) = (anna.uid, anna.utid)
    if isADAL { try await group.importing(item) } else { try await group.importing(cacheFile()) }
    try await group.signOutEverywhere()
    item.userID = "another-name@contoso.com"
    #expect(try await group.importing(item).signedOut == 1)
    item.identityProvider = "https://sts.windows.net/00000000-0000-0000-0000-000000000001/"
    #expect(try await group.importing(item).signedOut == 0, "a guest has another ID at home")
  }

  /// A personal account with Anna's address.
  private static let namesake = TestUser(
    uid: "00000000-0000-0000-66f3-3332eca7ea81", utid: "9188040d-6c67-4c5b-b112-36a304b66dad",
    username: TestUser.anna.username)

  @Test(
    "Of two accounts with one user name, an import omits the signed-out one and takes the other",
    arguments: [true, false], [true, false])
  func namesakes(isOtherThere: Bool, isADAL: Bool) async throws {
    let other = Self.namesake
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    try await group.importing(cacheFile())
    if isOtherThere { try await group.importing(cacheFile(of: other)) }
    try await directory.signOut(
      try #require(try await directory.accounts().first { $0.identifier == anna.identifier }))
    func summary(of user: TestUser) async throws -> ImportSummary {
      if !isADAL { return try await group.importing(cacheFile(of: user, client: SharedGroup.office)) }
      var item = user.legacyRefreshToken("rt-old", client: SharedGroup.office)
      item.homeAccountID = user.identifier
      return try await group.importing(item)
    }
    #expect(try await summary(of: anna).signedOut == 1)
    #expect(try await directory.accounts().allSatisfy { $0.identifier != anna.identifier })
    #expect(try await summary(of: other).signedOut == 0)
    #expect(try await directory.accounts().contains { $0.clients.contains(SharedGroup.office) })
    #expect(try await summary(of: anna).signedOut == 1)
  }

  @Test("A sign-out counts beside a namesake also where ADAL's user of that name was signed out before")
  func namesakeAfterADAL() async throws {
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    try await group.importing(anna.legacyRefreshToken("rt-old"))
    try await group.signOutEverywhere()
    let mail = try group.app("mail")
    let account = try await mail.signIn(anna.response(1))
    try await mail.signIn(Self.namesake.response(2))
    try await directory.signOut(account)
    #expect(try await group.importing(cacheFile(client: SharedGroup.office)).signedOut == 1)
  }

  /// A way to sign out an account of which only a family's token or an unreadable record is stored.
  enum SignOutKind: CaseIterable { case everywhere, client, app, unreadable }

  @Test(
    "A sign-out everywhere is recorded also where no client has its own tokens",
    arguments: SignOutKind.allCases)
  func familyOnly(_ way: SignOutKind) async throws {
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    try await group.importing(cacheFile(family: "1").changed(by: ["AppMetadata": .null]))
    let account = try #require(try await directory.accounts().first)
    switch way {
    case .everywhere: try await directory.signOut(account)
    case .client: try await directory.signOut(account, clientID: SharedGroup.office)
    case .app: try await group.app("mail").signOut(account)
    case .unreadable:
      try await group.backend.remove(SharedGroup.familyKey())
      await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
      try await directory.signOut(account)
    }
    let files = [
      cacheFile(family: "1"), cacheFile(), cacheFile(client: SharedGroup.office),
      cacheFile(client: SharedGroup.office, family: "1"),
    ]
    for file in files {
      #expect(try await group.importing(file).signedOut == 1)
      #expect(try await group.secrets().isEmpty)
    }
    #expect(try await group.importing(anna.legacyRefreshToken("rt-old")).signedOut == 1)
    #expect(try await group.importing(cacheFile(of: .boris)).added >= 1)
    #expect(try await directory.accounts().map(\.username) == [TestUser.boris.username])
  }

  @Test("An MSAL import omits an ADAL user who is signed out everywhere")
  func signedOutOfADAL() async throws {
    try await group.importing(anna.legacyRefreshToken("rt-old"))
    try await group.signOutEverywhere()
    for file in [cacheFile(), cacheFile(family: "1").changed(by: ["AppMetadata": .null])] {
      #expect(try await group.importing(file).signedOut == 1)
      #expect(try await group.secrets().isEmpty)
    }
  }

  @Test(
    "An import omits an AD FS user who is signed out everywhere, by host or by URL",
    arguments: ["adfs.contoso.com", "https://adfs.contoso.com/adfs"])
  func signedOutOfADFS(_ host: String) async throws {
    try await group.importing(cacheFile(host: host))
    try await group.signOutEverywhere()
    for spelling in ["adfs.contoso.com", "https://adfs.contoso.com/adfs"] {
      #expect(try await group.importing(cacheFile(host: spelling)).signedOut == 1)
    }
    var legacy = anna.legacyRefreshToken("rt-old", authority: "https://adfs.contoso.com/adfs")
    legacy.tenantID = anna.utid
    #expect(try await group.importing(legacy).signedOut == 1)
    #expect(try await AccountDirectory(backend: group.backend, sharesWithADAL: true).accounts().isEmpty)
  }

  @Test(
    "An import omits a signed-out account if the group or the file does not name its issuer",
    arguments: [
      ("https://id.contoso.com", "id.contoso.com"), ("id.contoso.com", "https://id.contoso.com/staff"),
    ])
  func unknownIssuer(there: String, here: String) async throws {
    try await group.importing(cacheFile(host: here, identifier: "248289761001"))
    try await group.signOutEverywhere()
    #expect(try await group.importing(cacheFile(host: there, identifier: "248289761001")).signedOut == 1)
    let other = cacheFile(of: .boris, host: there, identifier: "248289761002")
    #expect(try await group.importing(other).signedOut == 0)
  }

  @Test("An import omits a signed-out client, and imports the account's other clients and other accounts")
  func others() async throws {
    try await group.app("mail").signIn(anna.response(1))
    let account = try await group.app("word", client: SharedGroup.office).signIn(anna.response(2))
    try await AccountDirectory(backend: group.backend, sharesWithADAL: true).signOut(
      account, clientID: SharedGroup.suite)
    #expect(try await group.importing(cacheFile()).signedOut == 1)
    #expect(try await group.importing(cacheFile(client: "third")).added >= 1)
    #expect(try await group.importing(cacheFile(of: .boris)).added >= 1)
  }

  @Test("A family's token that a client may use is imported although another client is signed out")
  func familyInUse() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, family: "1"))
    let access = EntryBuilder.fields(
      .accessToken, secret: "at-office",
      changing: [
        "home_account_id": .string(anna.identifier), "client_id": .string(SharedGroup.office),
        "realm": .string(anna.utid),
      ])
    try await group.importing(["AccessToken": ["a": .object(access)]])
    try await AccountDirectory(backend: group.backend, sharesWithADAL: true).signOut(
      account, clientID: SharedGroup.suite)
    #expect(try await group.secrets() == ["at-office", "rt-1"])
    let summary = try await group.importing(cacheFile(family: "1").changed(by: ["AppMetadata": .null]))
    #expect(summary.signedOut == 0)
  }

  @Test("A sign-in, or an import that replaces, returns a signed-out account")
  func back() async throws {
    try await group.app("mail").signIn(anna.response(1))
    try await group.signOutEverywhere()
    try await group.importing(cacheFile()) { $0.replaces = true }
    #expect(try await group.secrets() == ["rt-file"])
    try await group.signOutEverywhere()
    try await group.app("mail").signIn(anna.response(2))
    #expect(try await group.importing(cacheFile(client: SharedGroup.office)).signedOut == 0)
  }

  @Test("A sign-out everywhere removes an account's leftover entries, and no other account's")
  func leftovers() async throws {
    var accounts: JSONObject = [:]
    for (name, identifier, host) in [
      ("a", anna.identifier, "login.windows.net"), ("b", TestUser.boris.identifier, "login.windows.net"),
      ("c", anna.identifier, "login.microsoftonline.us"),
    ] {
      accounts[name] = [
        "home_account_id": .string(identifier), "environment": .string(host), "realm": "t", "username": "u",
      ]
    }
    try await group.importing(["Account": .object(accounts)])
    try await group.app("mail").signIn(anna.response(1))
    try await group.signOutEverywhere()
    let exported = try await CacheTransfer(backend: group.backend).exportUnified().json
    let left = try CacheDocument(parsing: exported).accounts.map { [$0.homeAccountID, $0.environment] }
    #expect(
      Set(left) == [
        [TestUser.boris.identifier, "login.windows.net"], [anna.identifier, "login.microsoftonline.us"],
      ])
  }

  @Test("A wiped group has no record of who was signed out")
  func wiped() async throws {
    try await group.app("mail").signIn(anna.response(1))
    try await group.signOutEverywhere()
    try await AccountDirectory(backend: group.backend, sharesWithADAL: true).removeEverything(
      recordedAs: "test")
    #expect(try await group.importing(cacheFile()).added >= 1)
  }

  @Test("Replacing removes the other format's items and records their sign-out")
  func replacing() async throws {
    try await group.importing(TestUser.boris.legacyRefreshToken("rt-old"))
    #expect(try await group.importing(cacheFile()) { $0.replaces = true }.removed == 1)
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
    #expect(try await group.importing(TestUser.boris.legacyRefreshToken("rt-old")).signedOut == 1)
    let newer = TestUser.boris.legacyRefreshToken("rt-2")
    #expect(try await group.importing(newer, replacing: true).removed == 1)
    #expect(try await group.secrets().isEmpty)
    #expect(try await group.legacyItems().compactMap(\.refreshToken).contains("rt-2"))
    #expect(try await group.importing(cacheFile()).signedOut == 1)
    #expect(try await group.secrets().isEmpty)
  }

  @Test("Replacing signs out the accounts that only leftovers name, and the file does not")
  func replacedLeftovers() async throws {
    let host: JSONValue = .string("login.windows.net")
    let (anna, boris) = (JSONValue.string(anna.identifier), JSONValue.string(TestUser.boris.identifier))
    let account: JSONObject = [
      "home_account_id": anna, "environment": host, "realm": "t", "username": .string(self.anna.username),
    ]
    let leftovers: JSONObject = ["Account": ["a": .object(account)]]
    let unknownKind: JSONObject = ["PrimaryRefreshToken": ["p": ["home_account_id": anna]]]
    let other: JSONObject = [
      "Account": ["b": .object(account.changed(by: ["home_account_id": boris, "username": "boris"]))]
    ]
    for before in [leftovers, unknownKind] {
      for file in [[:], other, cacheFile(of: .boris)] as [JSONObject] {
        let group = SharedGroup()
        try await group.importing(before)
        try await group.importing(file) { $0.replaces = true }
        #expect(try await group.importing(cacheFile()).signedOut == 1)
        #expect(try await group.importing(before).signedOut == 1)
        #expect(try await !group.secrets().contains("rt-file") || file["RefreshToken"] != nil)
      }
      let group = SharedGroup()
      try await group.importing(before)
      try await group.importing(TestUser.boris.legacyRefreshToken("rt-old"), replacing: true)
      #expect(try await group.importing(cacheFile()).signedOut == 1)
      #expect(try await group.secrets().isEmpty)
    }
  }

  @Test("Replacing leftovers signs nobody out whom the file names", arguments: [true, false])
  func keptLeftovers(hasToken: Bool) async throws {
    let account: JSONObject = [
      "home_account_id": .string(anna.identifier), "environment": "login.windows.net", "realm": "t",
    ]
    try await group.importing(["Account": ["a": .object(account)]])
    let file: JSONObject =
      hasToken ? cacheFile() : ["Account": ["a": .object(account.changed(by: ["username": "anna"]))]]
    try await group.importing(file) { $0.replaces = true }
    #expect(try await group.importing(cacheFile(client: SharedGroup.office)).signedOut == 0)
    #expect(try await group.secrets().contains("rt-file"))
  }

  @Test("An import omits the token of a family whose clients are signed out, beside a client of no family")
  func signedOutFamily() async throws {
    let account = try await group.app("mail").signIn(anna.response(1, family: "1"))
    try await group.app("tasks", client: SharedGroup.office).signIn(anna.response(2))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    try await directory.signOut(account, clientID: SharedGroup.suite)
    #expect(try await group.importing(cacheFile(family: "1")).signedOut == 1)
    #expect(try await !group.secrets().contains("rt-file"))
  }
}
