// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Sign-ins that are copied from the group that a suite shared before into its new one.
@Suite("Copy of a group: sign-ins")
struct GroupCopyTests {
  private let groups = CopiedGroups()
  private let anna = TestUser.anna

  private var former: SharedGroup { groups.former }
  private var group: SharedGroup { groups.group }

  private func name(_ app: String) throws -> AppIdentifier { try SharedGroup.id(app) }

  @Test("An app of the second group gets its token silently, also an app that the first group never had")
  func silent() async throws {
    try await former.app("mail").signIn(anna.response(1))
    #expect(try await groups.copy().added > 0)
    for app in ["mail", "calendar"] {
      let cache = try group.app(app, isOnline: false)
      let account = try #require(try await cache.accounts().first)
      let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
      #expect(result.accessToken == "at-1")
    }
  }

  @Test("A family's refresh token serves another client of the second group")
  func family() async throws {
    try await former.app("mail").signIn(anna.response(1, family: "1"))
    try await former.app("word", client: SharedGroup.office).signIn(anna.response(2, family: "1"))
    try await groups.copy()
    #expect(try await group.secrets() == former.secrets())
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("ADAL's items of both formats are copied, and what a sign-out left of one is not")
  func adal() async throws {
    let office = anna.legacyRefreshToken("rt-office", client: SharedGroup.office, knowsHome: true)
    try await former.importing(anna.legacyRefreshToken("rt-old"), office)
    try await former.importing(TestUser.boris.legacyRefreshToken("rt-boris"))
    try await former.app("word", client: "third").signIn(anna.response(1))
    let directory = AccountDirectory(backend: former.backend, sharesWithADAL: true)
    let boris = try #require(
      try await directory.accounts().first { $0.username == TestUser.boris.username })
    try await directory.signOut(boris)
    #expect(try await groups.copy().added == 3)
    let file = try await ADALTransfer(backend: group.backend).export()
    #expect(Set(file.tokens.compactMap(\.refreshToken)) == ["rt-old", "rt-office"])
    await group.endpoint.response(anna.response(7))
    let mail = try group.app("mail")
    let account = try #require(try await mail.accounts().first)
    #expect(try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-7")
  }

  @Test("States of apps are copied where the second group has none")
  func states() async throws {
    let account = try await former.app("mail").signIn(anna.response(1))
    try await former.app("calendar").signIn(anna.response(2))
    try await former.app("mail").signOut(account)
    _ = try await former.app("calendar").currentAccount()
    _ = try await former.app("mail").currentAccount()
    try await group.app("notes").signIn(TestUser.boris.response(3))
    _ = try await group.app("calendar").currentAccount()
    try await groups.copy()
    let states = try #require(try await group.document()).metadata
    #expect(states[try name("mail")] == .signedOut)
    #expect(states[try name("calendar")] == .signedIn)
    #expect(try await group.app("mail").accounts().map(\.username) == [TestUser.boris.username])
    let client = RecordKey.client(SharedGroup.suite, environment: "login.microsoftonline.com")
    let metadata = try #require(try await group.backend.record(for: client)?.document()).metadata
    #expect(metadata[currentAccountOf: try name("calendar")] == TestUser.boris.identifier)
  }

  @Test("An older token replaces no newer one, and a newer one does")
  func newer() async throws {
    try await former.app("mail").signIn(anna.response(1))
    try await former.app("mail").signIn(TestUser.boris.response(2))
    for clock in [former.clock, group.clock] { clock.advance(by: 60) }
    try await group.app("mail").signIn(anna.response(3))
    try await groups.copy()
    #expect(try await group.secrets().isSuperset(of: ["at-3", "rt-3", "at-2", "rt-2"]))
    #expect(try await group.secrets().isDisjoint(with: ["at-1", "rt-1"]))
    for clock in [former.clock, group.clock] { clock.advance(by: 60) }
    try await former.app("mail").signIn(anna.response(4))
    #expect(try await groups.copy().updated == 1)
    #expect(try await group.secrets().isSuperset(of: ["at-4", "rt-4"]))
  }

  @Test(
    "An account that is signed out in the second group stays so, with its sign-out number",
    arguments: [true, false])
  func signedOut(isADAL: Bool) async throws {
    try await group.app("mail").signIn(anna.response(1))
    try await group.signOutEverywhere()
    let count = try #require(try await group.document()).metadata.signOutNumber
    if isADAL {
      try await former.importing(anna.legacyRefreshToken("rt-old"))
    } else {
      try await former.app("mail").signIn(anna.response(2))
    }
    let summary = try await groups.copy()
    #expect(summary.signedOut == 1)
    #expect(try await group.secrets().isEmpty)
    #expect(try await group.document()?.metadata.signOutNumber == count)
    #expect(try await group.app("mail").accounts().isEmpty)
  }

  @Test("Sign-outs of the first group are not counted in the second one")
  func sourceSignOut() async throws {
    try await former.app("mail").signIn(anna.response(1))
    try await former.signOutEverywhere()
    #expect(try await groups.copy().added == 0)
    try await former.app("mail").signIn(anna.response(2))
    try await groups.copy()
    #expect(try await group.document()?.metadata.signOutNumber == 0)
    #expect(try await group.app("mail").accounts().count == 1)
  }
}
