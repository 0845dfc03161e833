// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Finding accounts")
struct FindingAccountsTests {
  private let group = SharedGroup()

  @Test("A group that was never written has no accounts")
  func fresh() async throws {
    let mail = try group.app("mail")
    #expect(try await mail.accounts().isEmpty)
    #expect(try await mail.account(identifier: Person.anna.identifier) == nil)
    #expect(try await mail.account(username: "anna@contoso.com") == nil)
  }

  @Test("Accounts are sorted by user name")
  func sorted() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(Person.boris.answer())
    try await mail.signIn(Person.anna.answer())
    #expect(try await mail.accounts().map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
  }

  @Test("An Azure AD identifier and a user name are found in any case")
  func letterCase() async throws {
    let mail = try group.app("mail")
    let account = try await mail.signIn(Person.anna.answer())
    #expect(try await mail.account(identifier: account.identifier.uppercased()) == account)
    #expect(try await mail.account(username: "ANNA@contoso.com") == account)
  }

  @Test("Outside Azure AD an identifier is found exactly")
  func exactSubject() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com")
    try await mail.signIn(Person.anna.openIDAnswer())
    #expect(try await mail.account(identifier: "anna@contoso.com") != nil)
    #expect(try await mail.account(identifier: "Anna@contoso.com") == nil)
  }

  @Test("A blank name is refused; it never means the first account", arguments: ["", " ", "\n\t ", "\u{A0}"])
  func blank(_ text: String) async throws {
    let mail = try group.app("mail")
    try await mail.signIn(Person.anna.answer())
    let refused = SecretStoreError(.invalidArgument, "")
    await #expect(throws: refused) { try await mail.account(identifier: text) }
    await #expect(throws: refused) { try await mail.account(username: text) }
    let directory = AccountDirectory(backend: group.backend)
    await #expect(throws: refused) { try await directory.accounts(named: text) }
  }

  @Test("A user name that several accounts have is ambiguous, and the error names them by identifier")
  func ambiguousName() async throws {
    let mail = try group.app("mail")
    let twin = Person(uid: Person.boris.uid, utid: Person.boris.utid, username: Person.anna.username)
    try await mail.signIn(Person.anna.answer())
    try await mail.signIn(twin.answer())
    let error = await #expect(throws: SecretStoreError.self) {
      try await mail.account(username: Person.anna.username)
    }
    #expect(error?.code == .ambiguousAccount)
    for id in [Person.anna.identifier, twin.identifier] { #expect(error?.detail.contains(id) == true) }
  }

  @Test("An identifier that two providers know is the one of the cache's authority, else ambiguous")
  func ambiguousIdentifier() async throws {
    let hosts = ["https://id.contoso.com", "https://id.fabrikam.com"]
    for host in hosts { try await group.app("mail", authority: host).signIn(Person.anna.openIDAnswer()) }
    for host in hosts {
      let found = try await group.app("mail", authority: host).account(identifier: "anna@contoso.com")
      #expect(found?.environment == (try Authority(host).environment))
    }
    let elsewhere = try group.app("mail", authority: "https://id.example.com")
    let error = await #expect(throws: SecretStoreError.self) {
      try await elsewhere.account(identifier: "anna@contoso.com")
    }
    #expect(error?.code == .ambiguousAccount)
    #expect(error?.detail.contains("anna@contoso.com") == false)
  }

  @Test("An app sees the accounts of its client, not of another one")
  func otherClient() async throws {
    try await group.app("mail").signIn(Person.anna.answer())
    #expect(try await group.app("calendar").accounts().count == 1)
    #expect(try await group.app("office", client: SharedGroup.office).accounts().isEmpty)
  }

  @Test("An unreadable record of this client is corruptItem; another client's is passed over")
  func corrupt() async throws {
    let mail = try group.app("mail")
    try await mail.signIn(Person.anna.answer())
    await group.backend.plant(Array("hunter2".utf8), for: SharedGroup.key(of: .boris, client: "other"))
    #expect(try await mail.accounts().count == 1)
    await group.backend.plant(Array("hunter2".utf8), for: SharedGroup.key(of: .boris))
    let error = await #expect(throws: SecretStoreError(.corruptItem, "")) { try await mail.accounts() }
    #expect(error?.description.contains("hunter2") == false)
  }

  @Test("A group that can't be read is an error, never an empty list")
  func locked() async throws {
    let locked = SecretStoreError(.groupLocked, "The group is locked.")
    let mail = try group.app("mail", through: FailingBackend(inner: group.backend, readError: locked))
    await #expect(throws: locked) { try await mail.accounts() }
    await #expect(throws: locked) { try await mail.account(identifier: Person.anna.identifier) }
    await #expect(throws: locked) { try await mail.account(username: "anna@contoso.com") }
  }
}
