// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Signing out of a family's refresh token from peers' caches, with all, some or no app metadata.
@Suite("Sign-out from a family")
struct FamilySignOutTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }
  private func suite() throws -> TokenCache { try group.app("mail") }
  private func office() throws -> TokenCache { try group.app("office", client: SharedGroup.office) }

  private func account() async throws -> Account { try #require(try await directory.accounts().first) }

  private func expectSignedOut(_ cache: TokenCache, of account: Account) async throws {
    #expect(try await cache.accounts().isEmpty)
    #expect(try await cache.account(identifier: account.identifier) == nil)
    await #expect(throws: interaction) {
      try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    }
  }

  /// The clients with app metadata: none, the suite only, both.
  static let metadata: [[String: String]] = [
    [:], [SharedGroup.suite: "1"], [SharedGroup.suite: "1", SharedGroup.office: "1"],
  ]

  @Test(
    "The app and the user can sign out a client that has the account by its family only",
    arguments: metadata)
  func familyOnly(_ metadata: [String: String]) async throws {
    for isPersons in [false, true] {
      let group = FamilySignOutTests()
      try await group.group.importFamily(tokensOf: [SharedGroup.suite], metadata: metadata)
      let account = try await group.account()
      #expect(try await group.office().accounts() == [account])
      #expect(try await group.office().accounts().map(\.username) == [anna.username])
      if isPersons {
        try await group.directory.signOut(account, clientID: SharedGroup.office)
      } else {
        try await group.office().signOut(account)
      }
      try await group.expectSignedOut(group.office(), of: account)
      #expect(try await group.suite().accounts() == [account])
      #expect(try await group.group.familyDocument()?.secrets(.refreshToken) == ["rt-f"])
      #expect(await group.group.endpoint.requests.isEmpty)
    }
  }

  @Test("The sign-out of a client that has the account by its family only is recorded with the app's name")
  func familyOnlyIsRecorded() async throws {
    try await group.importFamily(tokensOf: [SharedGroup.suite])
    let account = try await account()
    try await directory.signOut(
      account, clientID: SharedGroup.office, recordedAs: "Settings", clock: group.clock)
    let signOut = try #require(try await group.document(client: SharedGroup.office)?.metadata.signOut)
    #expect((signOut.app, signOut.date) == ("Settings", group.clock.now()))
    let error = await #expect(throws: SecretStoreError.self) {
      try await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
    #expect(error?.detail.contains("Settings") == true)
  }

  @Test("A sign-out holds although another app removes the client's record: the family's token remains")
  func removedMeanwhile() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    try await office().signIn(anna.response(2, family: "1"))
    let backend = group.backend
    let watched = WatchedBackend(
      inner: backend, beforeUpdate: { if $0 == SharedGroup.key() { try await backend.remove($0) } })
    try await group.app("mail", through: watched).signOut(account)
    try await expectSignedOut(suite(), of: account)
    #expect(try await office().accounts() == [account])
  }

  @Test(
    "A sign-out between the two writes of a sign-in leaves no account without the family's token",
    arguments: [nil, SharedGroup.suite])
  func betweenWrites(client: String?) async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    let isFirst = Locked(true)
    let watched = WatchedBackend(
      inner: group.backend,
      beforeUpdate: { [directory] key in
        guard key == SharedGroup.key(), isFirst.withLock({ $0.take() }) else { return }
        try await directory.signOut(account, clientID: client)
      })
    try await group.app("mail", through: watched).signIn(anna.response(2, family: "1"))
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"])
    #expect(try await group.document()?.secrets(.accessToken) == ["at-2"])
  }

  @Test("The family's token remains if a client's unreadable record may use it")
  func unreadableMember() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.backend.storeRaw(
      Array("hunter2".utf8), for: SharedGroup.key(client: SharedGroup.office))
    try await suite().signOut(account)
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("A sibling's unreadable record is no evidence of a family: another client gets no sign-out state")
  func unreadableSibling() async throws {
    let account = Account(
      identifier: anna.identifier, username: anna.username, environment: "login.windows.net")
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.key())
    try await office().signOut(account)
    #expect(try await group.backend.record(for: SharedGroup.key(client: SharedGroup.office)) == nil)
  }

  @Test("A client in no family gets no sign-out state for its siblings' accounts")
  func outsider() async throws {
    for clients in [[SharedGroup.suite], []] {
      let group = FamilySignOutTests()
      try await group.group.importFamily(
        tokensOf: clients, metadata: [SharedGroup.suite: "1", SharedGroup.office: ""])
      let before = try await group.group.stored()
      try await group.office().signOut(group.account())
      #expect(try await group.group.stored() == before)
    }
    try await group.importFamily(
      tokensOf: [SharedGroup.suite], metadata: [SharedGroup.suite: "1", SharedGroup.office: ""])
    let before = try await group.stored()
    try await directory.signOut(account(), clientID: SharedGroup.office)
    #expect(try await group.stored() == before)
  }

  @Test(
    "Signing out everywhere removes the family's token, whatever the clients' metadata say",
    arguments: metadata)
  func everywhere(_ metadata: [String: String]) async throws {
    for clients in [[SharedGroup.suite, SharedGroup.office], [SharedGroup.suite], []] {
      let group = FamilySignOutTests()
      try await group.group.importFamily(tokensOf: clients, metadata: metadata)
      let account = try await group.account()
      try await group.directory.signOut(account)
      for (key, bytes) in try await group.group.stored() {
        #expect(try !CacheDocument(parsing: bytes).hasTokens, "\(key.kind)")
        #expect(!String(decoding: bytes, as: UTF8.self).contains(anna.username), "\(key.kind)")
      }
      #expect(try await group.directory.accounts().isEmpty)
      for cache in [try group.suite(), try group.office()] { #expect(try await cache.accounts().isEmpty) }
    }
  }

  @Test(
    "The family's token is removed with the last client that has tokens, whatever its metadata say",
    arguments: metadata)
  func lastClient(_ metadata: [String: String]) async throws {
    for isPersons in [false, true] {
      let group = FamilySignOutTests()
      try await group.group.importFamily(
        tokensOf: [SharedGroup.suite, SharedGroup.office], metadata: metadata)
      let account = try await group.account()
      func signOut(_ cache: TokenCache) async throws {
        if isPersons {
          try await group.directory.signOut(account, clientID: cache.clientID)
        } else {
          try await cache.signOut(account)
        }
      }
      try await signOut(group.suite())
      try await group.expectSignedOut(group.suite(), of: account)
      #expect(try await group.group.familyDocument()?.secrets(.refreshToken) == ["rt-f"])
      await group.group.endpoint.response(anna.response(2, family: "1"))
      let result = try await group.office().acquireTokenSilent(
        scopes: ["mail.read"], account: account, forceRefresh: true)
      #expect(result.accessToken == "at-2")
      try await signOut(group.office())
      #expect(try await group.group.familyDocument() == nil)
      #expect(try await group.directory.accounts().isEmpty)
    }
  }

  @Test("A client in no family, or in another, does not keep the family's token", arguments: ["", "2"])
  func otherFamily(_ family: String) async throws {
    try await group.importFamily(
      tokensOf: [SharedGroup.suite, SharedGroup.office],
      metadata: [SharedGroup.suite: "1", SharedGroup.office: family])
    try await suite().signOut(account())
    #expect(try await group.familyDocument() == nil)
    #expect(try await office().accounts().count == 1)
  }

  @Test("A client's own record states its family if its tokens' records do not")
  func ownRecord() async throws {
    try await group.importFamily(tokensOf: [SharedGroup.suite, SharedGroup.office])
    let metadata = AppMetadataEntry(
      clientID: SharedGroup.office, environment: "login.windows.net", familyID: nil)
    try await group.backend.update(.client(SharedGroup.office, environment: "login.windows.net")) { stored in
      var document = CacheDocument()
      document.put(metadata)
      stored = document
    }
    try await suite().signOut(account())
    #expect(try await group.familyDocument() == nil)
  }

  @Test("A family's unreadable record hides no account, is named, and a sign-out everywhere removes it")
  func unreadable() async throws {
    let account = try await suite().signIn(anna.response(1, family: "1"))
    await group.backend.storeRaw(Array("hunter2".utf8), for: SharedGroup.familyKey())
    #expect(try await directory.listing().damaged.map(\.key) == [SharedGroup.familyKey()])
    #expect(try await suite().accounts() == [account])
    try await directory.signOut(account)
    #expect(try await group.backend.record(for: SharedGroup.familyKey()) == nil)
  }
}
