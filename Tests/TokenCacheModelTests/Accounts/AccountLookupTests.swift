// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import TokenCacheModel

@Suite("Account lookup")
struct AccountLookupTests {
  private let group = SharedGroup()

  @Test("A group without records has no accounts")
  func fresh() async throws {
    let mail = try group.app("mail")
    #expect(try await mail.accounts().isEmpty)
    #expect(try await mail.account(identifier: TestUser.anna.identifier) == nil)
    #expect(try await mail.account(username: "anna@contoso.com") == nil)
  }

  @Test("Accounts are sorted by user name")
  func sorted() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.boris.response())
    try await mail.signIn(TestUser.anna.response())
    #expect(try await mail.accounts().map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
  }

  @Test("An Azure AD identifier and a user name are found in any case")
  func letterCase() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(TestUser.anna.response())
    #expect(try await mail.account(identifier: account.identifier.uppercased()) == account)
    #expect(try await mail.account(username: "ANNA@contoso.com") == account)
  }

  @Test("Outside Azure AD an identifier is found in its exact case only")
  func exactSubject() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com")
    try await mail.signIn(TestUser.anna.openIDResponse())
    #expect(try await mail.account(identifier: "anna@contoso.com") != nil)
    #expect(try await mail.account(identifier: "Anna@contoso.com") == nil)
  }

  @Test("A blank name is refused and never means the first account", arguments: ["", " ", "\n\t ", "\u{A0}"])
  func blank(_ text: String) async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response())
    let refused = SecretStoreError(.invalidArgument, "")
    await #expect(throws: refused) { try await mail.account(identifier: text) }
    await #expect(throws: refused) { try await mail.account(username: text) }
    let directory = AccountDirectory(backend: group.backend)
    await #expect(throws: refused) { try await directory.accounts(named: text) }
  }

  @Test("A user name that several accounts have is ambiguous, and the error lists their identifiers")
  func ambiguousName() async throws {
    let mail = try group.app("mail")
    let twin = TestUser(uid: TestUser.boris.uid, utid: TestUser.boris.utid, username: TestUser.anna.username)
    try await mail.signIn(TestUser.anna.response())
    try await mail.signIn(twin.response())
    let error = await #expect(throws: SecretStoreError.self) {
      try await mail.account(username: TestUser.anna.username)
    }
    #expect(error?.code == .ambiguousAccount)
    for id in [TestUser.anna.identifier, twin.identifier] { #expect(error?.detail.contains(id) == true) }
  }

  @Test("An account is found by each user name that a client has for it; a name of two accounts is ambiguous")
  func severalNames() async throws {
    func person(_ user: TestUser, _ username: String) -> TestUser {
      TestUser(uid: user.uid, utid: user.utid, username: username)
    }
    let (mail, office) = (try group.app("mail"), try group.app("office", client: SharedGroup.office))
    try await mail.signIn(TestUser.anna.response())
    group.clock.advance(by: 60)
    let account = try await office.signIn(person(.anna, "anna.king@contoso.com").response())
    let directory = AccountDirectory(backend: group.backend)
    for name in ["ANNA@contoso.com", "anna.king@contoso.com"] {
      #expect(try await mail.account(username: name) == account)
      #expect(try await office.account(username: name) == account)
      #expect(try await directory.accounts(named: name) == [account])
    }
    try await mail.signIn(person(.boris, "anna@contoso.com").response())
    #expect(try await directory.accounts(named: "anna@contoso.com").count == 2)
    #expect(try await directory.accounts(named: "anna.king@contoso.com") == [account])
    let error = await #expect(throws: SecretStoreError.self) {
      try await mail.account(username: "anna@contoso.com")
    }
    #expect(error?.code == .ambiguousAccount)
  }

  @Test("An identifier at two providers is found at the cache's authority; at Azure AD it is ambiguous")
  func ambiguousIdentifier() async throws {
    let hosts = ["https://id.contoso.com", "https://id.fabrikam.com"]
    for host in hosts { try await group.app("mail", authority: host).signIn(TestUser.anna.openIDResponse()) }
    for host in hosts {
      let found = try await group.app("mail", authority: host).account(identifier: "anna@contoso.com")
      #expect(found?.environment == (try Authority(host).environment))
    }
    let elsewhere = try group.app("mail")
    let error = await #expect(throws: SecretStoreError.self) {
      try await elsewhere.account(identifier: "anna@contoso.com")
    }
    #expect(error?.code == .ambiguousAccount)
    #expect(error?.detail.contains("anna@contoso.com") == false)
  }

  @Test("An app finds the accounts of its own client only")
  func otherClient() async throws {
    try await group.app("mail").signIn(TestUser.anna.response())
    #expect(try await group.app("calendar").accounts().count == 1)
    #expect(try await group.app("office", client: SharedGroup.office).accounts().isEmpty)
  }

  @Test("An unreadable record is skipped, this client's and another's")
  func corrupt() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response())
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key(of: .boris, client: "other"))
    #expect(try await mail.accounts().count == 1)
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key(of: .boris))
    #expect(try await mail.accounts().count == 1)
  }

  @Test("An unreadable group throws an error and never yields an empty list")
  func locked() async throws {
    let locked = SecretStoreError(.groupLocked, "The group is locked.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, readError: locked))
    await #expect(throws: locked) { try await mail.accounts() }
    await #expect(throws: locked) { try await mail.account(identifier: TestUser.anna.identifier) }
    await #expect(throws: locked) { try await mail.account(username: "anna@contoso.com") }
  }

  @Test("An account that only a credential names is listed")
  func credentialAlone() async throws {
    let mail = try group.app("mail")
    try await mail.save(
      try CredentialEntry(fields: [
        "credential_type": "RefreshToken", "home_account_id": .string(TestUser.anna.identifier),
        "environment": "login.windows.net", "client_id": .string(SharedGroup.suite), "secret": "rt-1",
      ]))
    #expect(try await mail.accounts().count == 1)
  }

  @Test(
    "An account without an identifier is the one of its name in its cloud, and one with an identifier is not")
  func namedAs() {
    func account(_ identifier: String, _ username: String, _ environment: String = "host") -> Account {
      Account(identifier: identifier, username: username, environment: environment)
    }
    #expect(account("", "Anna").isNamed(as: account("a.t", "anna")))
    #expect(!account("a.t", "anna").isNamed(as: account("a.t", "anna")))
    #expect(!account("", "boris").isNamed(as: account("a.t", "anna")))
    #expect(!account("", "anna").isNamed(as: account("a.t", "anna", "elsewhere")))
  }

  @Test("A name that is an account's identifier finds that account, and any other name the user name's")
  func identifierOrUsername() async throws {
    let group = SharedGroup()
    let mail = try group.app("mail")
    try await mail.signIn(TestUser.anna.response(1))
    try await mail.signIn(TestUser.boris.response(2))
    for person in [TestUser.anna, .boris] {
      for name in [person.identifier.uppercased(), person.username.uppercased()] {
        #expect(try await mail.accounts().named(name).first?.username == person.username)
      }
    }
    #expect(try await mail.accounts().named("nobody").isEmpty)
  }
}
