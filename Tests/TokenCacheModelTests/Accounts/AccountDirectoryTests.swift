// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Account directory")
struct AccountDirectoryTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }
  private func suite() throws -> TokenCache { try group.app("mail") }
  private func office() throws -> TokenCache { try group.app("office", client: SharedGroup.office) }

  @Test("Signing out a client that holds nothing, or an account that nobody knows, changes nothing")
  func nothingToSignOut() async throws {
    let account = try await group.app("mail").signIn(Person.anna.answer(1, family: "1"))
    try await group.app("word", client: SharedGroup.office).signIn(Person.anna.answer(2))
    let boris = try await SharedGroup().app("mail").signIn(Person.boris.answer())
    let stored = try await group.stored()
    let directory = AccountDirectory(backend: group.backend)
    try await directory.signOut(account, clientID: "nobody")
    try await directory.signOut(boris)
    #expect(try await group.stored() == stored)
  }

  @Test("It lists the accounts of every client, each once")
  func list() async throws {
    #expect(try await directory.accounts().isEmpty)
    try await suite().signIn(anna.answer())
    try await office().signIn(anna.answer())
    try await office().signIn(Person.boris.answer())
    let accounts = try await directory.accounts()
    #expect(accounts.map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
    #expect(
      accounts.map(\.clients) == [[SharedGroup.suite, SharedGroup.office].sorted(), [SharedGroup.office]])
  }

  @Test("A name is an identifier, exactly, or else a user name in any case")
  func named() async throws {
    let account = try await suite().signIn(anna.answer())
    for name in [anna.identifier, anna.identifier.uppercased(), "ANNA@contoso.com"] {
      #expect(try await directory.accounts(named: name) == [account])
    }
    #expect(try await directory.accounts(named: "anna").isEmpty)
  }

  @Test("An app's sign-out leaves the account in the list while another app uses it")
  func appSignsOut() async throws {
    let account = try await suite().signIn(anna.answer())
    try await group.app("calendar").signIn(anna.answer())
    try await suite().signOut(account)
    #expect(try await directory.accounts() == [account])
    try await group.app("calendar").signOut(account)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("Signing a client out removes its tokens for all its apps, and no other client's")
  func oneClient() async throws {
    let account = try await suite().signIn(anna.answer())
    try await group.app("calendar").signIn(anna.answer())
    try await office().signIn(anna.answer(2))
    try await directory.signOut(account, clientID: SharedGroup.suite.uppercased())
    #expect(try await suite().accounts().isEmpty)
    #expect(try await group.app("calendar").accounts().isEmpty)
    #expect(try await office().accounts().count == 1)
    let document = try #require(try await group.document())
    #expect(!document.hasTokens)
    #expect(document.sharing.epoch == 1)
    #expect(document.sharing.apps(.signedOut).count == 2)
  }

  @Test("Signing out everywhere removes all clients' tokens and the family's, and no other account's")
  func everywhere() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    try await office().signIn(anna.answer(2, family: "1"))
    let boris = try await suite().signIn(Person.boris.answer())
    try await directory.signOut(account)
    #expect(try await directory.accounts() == [boris])
    #expect(try await group.familyDocument() == nil)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("A document that can't be read is removed whole by a sign-out")
  func corrupt() async throws {
    let account = try await suite().signIn(anna.answer())
    let stranger = SharedGroup.key(client: "stranger")
    await group.backend.plant(Array("hunter2".utf8), for: stranger)
    await #expect(throws: SecretStoreError(.corruptItem, "")) { try await directory.accounts() }
    try await directory.signOut(account)
    #expect(try await group.backend.record(for: stranger) == nil)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("Signing out of an account that is not there is no error")
  func absent() async throws {
    let account = try await SharedGroup().app("mail").signIn(anna.answer())
    try await directory.signOut(account)
    #expect(try await group.stored().isEmpty)
  }

  @Test("A wipe removes everything, even what can't be read, and says who did it and when")
  func wipe() async throws {
    try await suite().signIn(anna.answer(family: "1"))
    await group.backend.plant(Array("hunter2".utf8), for: SharedGroup.key(client: "stranger"))
    try await directory.removeEverything(by: "com.contoso.mail", clock: group.clock)
    let stored = try await group.stored()
    #expect(stored.keys.map(\.self) == [.groupData("wipe")])
    let text = stored.values.map { String(decoding: $0, as: UTF8.self) }.joined()
    #expect(text.contains(#""wiped_by":"com.contoso.mail""#))
    #expect(text.contains(#""wiped_at":"1700000000""#))
    #expect(try await directory.accounts().isEmpty)
  }
}
