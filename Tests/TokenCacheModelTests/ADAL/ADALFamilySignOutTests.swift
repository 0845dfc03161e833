// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Synchronization
import Testing
import TokenCacheContract

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL: sign-out of families")
struct ADALFamilySignOutTests {
  private let group = SharedGroup()

  @Test("A client that was signed out everywhere does not return by its family's refresh token")
  func clientOfFamily() async throws {
    try await group.adal("old", .ownFormat).signIn(
      TestUser.anna.adalResponse(family: "1", hasClientInfo: false))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    let account = try #require(try await directory.accounts().first)
    try await directory.signOut(account, clientID: SharedGroup.suite)
    #expect(try await group.app("mail").accounts().isEmpty)
    #expect(try await group.adal("old", .ownFormat).users().isEmpty)
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }

  @Test("A family's token in ADAL's format stays until the last client that may use it is signed out")
  func lastClientOfFamily() async throws {
    let old = try group.adal("old", .ownFormat)
    let word = try group.adal("word", .ownFormat, client: SharedGroup.office)
    for (app, number) in [(old, 1), (word, 2)] {
      try await app.signIn(TestUser.anna.adalResponse(number, family: "1", hasClientInfo: false))
    }
    try await old.signOut(userID: TestUser.anna.username)
    #expect(try await group.legacyItems().contains { $0.kind == .familyRefreshToken })
    #expect(try await old.users().isEmpty)
    try await word.signOut(userID: TestUser.anna.username)
    #expect(try await group.legacyItems().allSatisfy { $0.kind == nil })
  }

  @Test("A client that has a user by ADAL's family only is signed out by its ID, and no other client")
  func clientByFamilyOnly() async throws {
    try await group.adal("old", .ownFormat).signIn(
      TestUser.anna.adalResponse(family: "1", hasClientInfo: false))
    let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
    let account = try #require(try await directory.accounts().first)
    #expect(try await group.app("word", client: SharedGroup.office).accounts().count == 1)
    try await directory.signOut(account, clientID: SharedGroup.office)
    #expect(try await group.app("word", client: SharedGroup.office).accounts().isEmpty)
    #expect(try await group.adal("word", .ownFormat, client: SharedGroup.office).users().isEmpty)
    #expect(try await group.app("mail").accounts().count == 1)
    #expect(try await group.adal("old", .ownFormat).users().count == 1)
  }

  @Test("An app that signed out of its family's item is signed out, in both formats, and other apps are not")
  func ofFamilyItem() async throws {
    try await group.adal("mail").signIn(TestUser.anna.adalResponse(family: "1"))
    let calendar = try group.adal("calendar", client: SharedGroup.office)
    #expect(try await calendar.users().map(\.userID) == ["anna@contoso.com"])
    try await calendar.signOut(userID: "anna@contoso.com")
    #expect(try await calendar.users().isEmpty)
    #expect(try await group.app("calendar", client: SharedGroup.office).accounts().isEmpty)
    #expect(try await group.adal("tasks", client: SharedGroup.office).users().count == 1)
  }

  @Test("A family's item stays while another client of the family has an item, whichever family it is")
  func otherFamily() async throws {
    let (mail, tasks) = (try group.adal("mail"), try group.adal("tasks", client: SharedGroup.office))
    try await mail.signIn(TestUser.anna.adalResponse(1, family: "2"))
    try await tasks.signIn(TestUser.anna.adalResponse(2, family: "2"))
    try await mail.signOut(userID: "anna@contoso.com")
    #expect(try await group.legacyItems(.familyRefreshToken).count == 1)
    try await tasks.signOut(userID: "anna@contoso.com")
    #expect(try await group.legacyItems(.familyRefreshToken).isEmpty)
  }

  @Test("A client that names no family keeps family 1's item, and no other family's", arguments: ["1", "2"])
  func clientOfNoFamily(family: String) async throws {
    try await group.adal("mail").signIn(TestUser.anna.adalResponse(1, family: family))
    try await group.adal("tasks", client: SharedGroup.office).signIn(TestUser.anna.adalResponse(2))
    try await group.adal("mail").signOut(userID: "anna@contoso.com")
    #expect(try await group.legacyItems(.familyRefreshToken).count == (family == "1" ? 1 : 0))
  }
}
