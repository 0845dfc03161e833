// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Account directory")
struct AccountDirectoryTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }
  private func suite() throws -> TokenCache { try group.app("mail") }
  private func office() throws -> TokenCache { try group.app("office", client: SharedGroup.office) }

  @Test("Signing out a client without a family sign-in, or an unknown account, changes nothing")
  func nothingToSignOut() async throws {
    let account = try await group.app("mail").signIn(TestUser.anna.response(1))
    try await group.app("word", client: SharedGroup.office).signIn(TestUser.anna.response(2))
    let boris = try await SharedGroup().app("mail").signIn(TestUser.boris.response())
    let stored = try await group.stored()
    let directory = AccountDirectory(backend: group.backend)
    try await directory.signOut(account, clientID: "nobody")
    try await directory.signOut(boris)
    #expect(try await group.stored() == stored)
  }

  @Test("An account that an import stored without a token is found by its names and removed")
  func withoutTokens() async throws {
    try await suite().signIn(anna.response())
    let export = try await CacheTransfer(backend: group.backend).exportUnified()
    var members = try #require(try JSONValue(parsing: export.json).objectValue)
    for name in ["AccessToken", "RefreshToken", "IdToken"] { members[name] = nil }
    let empty = AccountDirectory(backend: InMemoryBackend())
    _ = try await CacheTransfer(backend: empty.backend).importUnified(JSONValue.object(members).serialized())
    #expect(try await empty.accounts().isEmpty)
    for name in [anna.username, anna.identifier] {
      #expect(try await empty.accounts(named: name).map(\.username) == [anna.username])
    }
    try await empty.signOut(try #require(try await empty.accounts(named: anna.username).first))
    #expect(try await empty.accounts(named: anna.username).isEmpty)
    let left = try await CacheTransfer(backend: empty.backend).exportUnified().json
    #expect(!String(decoding: left, as: UTF8.self).contains(anna.username))
  }

  @Test("The list has the accounts of all clients, each once")
  func list() async throws {
    #expect(try await directory.accounts().isEmpty)
    try await suite().signIn(anna.response())
    try await office().signIn(anna.response())
    try await office().signIn(TestUser.boris.response())
    let accounts = try await directory.accounts()
    #expect(accounts.map(\.username) == ["anna@contoso.com", "boris@contoso.com"])
    #expect(
      accounts.map(\.clients) == [[SharedGroup.suite, SharedGroup.office].sorted(), [SharedGroup.office]])
  }

  @Test("The list says which apps are signed in with each client, and no longer those that signed out")
  func signedInApps() async throws {
    let account = try await suite().signIn(anna.response())
    try await group.app("calendar").signIn(anna.response())
    try await office().signIn(anna.response(2))
    func listed() async throws -> [String] {
      try await directory.accounts().flatMap(\.signIns).map { "\($0.app) \($0.clientID)" }
    }
    let others = ["com.contoso.calendar \(SharedGroup.suite)", "com.contoso.office \(SharedGroup.office)"]
    #expect(
      try await listed() == [others[0], "com.contoso.mail \(SharedGroup.suite)", others[1]])
    #expect(try await suite().accounts().allSatisfy(\.signIns.isEmpty))
    try await suite().signOut(account)
    #expect(try await listed() == others)
  }

  @Test("A name that is no app's in the list of a record's apps is left out")
  func forgedApps() async throws {
    try await suite().signIn(anna.response())
    try await group.backend.update(SharedGroup.key()) { stored in
      stored?.metadata.fields["apps"] = [
        "com.contoso.mail": "signed_in", "../../bin/sh": "signed_in", "a\u{1B}[2J": "signed_in",
        "": "signed_in",
      ]
    }
    #expect(try await directory.accounts().flatMap(\.signIns).map(\.app.name) == ["com.contoso.mail"])
  }

  @Test("A name is an exact identifier or else a user name in any case")
  func named() async throws {
    let account = try await suite().signIn(anna.response())
    for name in [anna.identifier, anna.identifier.uppercased(), "ANNA@contoso.com"] {
      #expect(try await directory.accounts(named: name) == [account])
    }
    #expect(try await directory.accounts(named: "anna").isEmpty)
  }

  @Test("An app's sign-out leaves the account in the list while another app uses it")
  func appSignsOut() async throws {
    let account = try await suite().signIn(anna.response())
    try await group.app("calendar").signIn(anna.response())
    try await suite().signOut(account)
    #expect(try await directory.accounts() == [account])
    try await group.app("calendar").signOut(account)
    #expect(try await directory.accounts().isEmpty)
  }

  @Test("Signing a client out removes its tokens for all its apps, and no other client's")
  func oneClient() async throws {
    let account = try await suite().signIn(anna.response())
    try await group.app("calendar").signIn(anna.response())
    try await office().signIn(anna.response(2))
    try await directory.signOut(account, clientID: SharedGroup.suite.uppercased())
    #expect(try await suite().accounts().isEmpty)
    #expect(try await group.app("calendar").accounts().isEmpty)
    #expect(try await office().accounts().count == 1)
    let document = try #require(try await group.document())
    #expect(!document.hasTokens)
    #expect(document.metadata.signOutNumber > 0)
    #expect(document.metadata.apps(.signedOut).count == 2)
  }

  @Test("Signing out everywhere removes all clients' tokens and the family's, and no other account's")
  func everywhere() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await office().signIn(anna.response(2, family: "1"))
    let boris = try await suite().signIn(TestUser.boris.response())
    try await directory.signOut(account)
    #expect(try await directory.accounts() == [boris])
    #expect(try await group.familyDocument() == nil)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("A sign-out replaces an unreadable document by a record of the sign-out")
  func corrupt() async throws {
    let account = try await suite().signIn(anna.response())
    let otherClient = SharedGroup.key(client: "stranger")
    await group.backend.storeRaw(Array("hunter2".utf8), for: otherClient)
    #expect(try await directory.listing().damaged.map(\.key) == [otherClient])
    try await directory.signOut(account)
    let left = try await group.backend.record(for: otherClient)?.document()
    #expect(left?.credentials.isEmpty == true && left.map { $0.metadata.signOutNumber > 0 } == true)
    #expect(try await directory.accounts().isEmpty)
    #expect(try await directory.listing().damaged.isEmpty)
  }

  @Test("Signing out of an unknown account throws no error")
  func absent() async throws {
    let account = try await SharedGroup().app("mail").signIn(anna.response())
    try await directory.signOut(account)
    #expect(try await group.stored().isEmpty)
  }

  @Test("A wipe removes everything, also unreadable records, and records who did it and when")
  func wipe() async throws {
    try await suite().signIn(anna.response(family: "1"))
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key(client: "stranger"))
    try await directory.removeEverything(recordedAs: "com.contoso.mail", clock: group.clock)
    let stored = try await group.stored()
    #expect(stored.keys.map(\.self) == [.groupData("wipe")])
    let text = stored.values.map { String(decoding: $0, as: UTF8.self) }.joined()
    #expect(text.contains(#""wiped_by":"com.contoso.mail""#))
    #expect(text.contains(#""wiped_at":"1700000000""#))
    #expect(try await directory.accounts().isEmpty)
  }

  /// A back end in which queries find a record that no key finds: another program's item.
  private struct ListedRecord: ForwardingBackend {
    let inner: InMemoryBackend

    func record(for key: RecordKey) -> Record? { nil }

    func update<Outcome: Sendable>(
      _ key: RecordKey, _ change: @Sendable (inout CacheDocument?) throws -> Outcome
    ) throws -> Outcome {
      var stored: CacheDocument?
      return try change(&stored)
    }

    func remove(_ key: RecordKey) {}
  }

  @Test("A sign-out that can't remove another program's item says so")
  func unremovable() async throws {
    let group = SharedGroup()
    try await group.app("mail").signIn(TestUser.anna.response(1))
    let directory = AccountDirectory(backend: ListedRecord(inner: group.backend))
    let account = try #require(try await directory.accounts().first)
    let error = await #expect(throws: SecretStoreError(.storageFailed, "")) {
      try await directory.signOut(account)
    }
    #expect(error?.detail.contains("another program's") == true)
  }
}
