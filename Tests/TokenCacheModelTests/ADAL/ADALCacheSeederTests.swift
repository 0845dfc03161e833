// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("ADAL cache seeder")
struct ADALCacheSeederTests {
  private let group = SharedGroup()

  @Test("A refreshed token is seeded where the ADAL app reads it")
  func seededByRefresh() async throws {
    let account = try await group.app("mail").signIn(TestUser.anna.response(1))
    await group.endpoint.response(TestUser.anna.response(2, scope: "calendar.read"))
    let seeding = try group.app("mail") { $0.seedsADAL = true }
    _ = try await seeding.acquireTokenSilent(scopes: ["calendar.read"], account: account)
    await group.endpoint.response(TestUser.anna.adalResponse(3))
    #expect(
      try await group.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph).accessToken
        == "at-3")
  }

  @Test("A user with the same name in another cloud does not prevent seeding")
  func seededBesideOtherCloud() async throws {
    try await group.store(
      TestUser.anna.legacyRefreshToken(authority: "https://login.microsoftonline.us/common"))
    try await group.app("mail", change: true).signIn(TestUser.anna.response(1))
    #expect(try await group.adal("old", .ownFormat).users().count == 1)
  }

  @Test("Another user's token, or the family's, does not prevent seeding of the user's own")
  func seededBesideOthers() async throws {
    try await group.store(TestUser.boris.legacyRefreshToken())
    try await group.store(TestUser.anna.legacyRefreshToken("family's", client: "foci-1"))
    try await group.app("mail", change: true).signIn(TestUser.anna.response(1, family: "1"))
    let items = try await group.legacyItems().filter { $0.userID == TestUser.anna.username }
    #expect(Set(items.compactMap(\.refreshToken)) == ["rt-1", "family's"])
    #expect(Set(items.map(\.clientID)) == [SharedGroup.suite, "foci-1"])
  }

  @Test("A personal account is not seeded, since ADAL has none")
  func personal() async throws {
    let person = TestUser(
      uid: TestUser.anna.uid, utid: "9188040d-6c67-4c5b-b112-36a304b66dad", username: "anna@outlook.com")
    try await group.app("mail", change: true).signIn(person.response(1))
    #expect(try await group.legacyItems().isEmpty)
  }
}

extension SharedGroup {
  fileprivate func app(_ name: String, change: Bool) throws -> TokenCache {
    try app(name) { $0.seedsADAL = change }
  }
}
