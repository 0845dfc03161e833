// SPDX-License-Identifier: MIT

import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Token entries: applied to a document")
struct TokenEntriesApplyTests {
  private func apply(
    _ members: JSONObject, to document: inout CacheDocument, redeemed: String? = nil
  ) throws {
    let entries = try TokenEntries(
      TokenResponse(members: members), clientID: SharedGroup.suite,
      authority: Authority(SharedGroup.azure), requested: [], known: nil, now: TestClock.start)
    entries.apply(to: &document, redeemed: redeemed)
  }

  @Test(
    "A new access token replaces those that share a resource's scope with it",
    arguments: [
      ("mail.read", "mail.read", ["at-2"]),
      ("mail.read openid profile", "Mail.Read files.read", ["at-2"]),
      ("mail.read files.read", "files.read", ["at-2"]),
      ("mail.read", "files.read", ["at-1", "at-2"]),
      ("openid profile", "openid email", ["at-2"]),
    ])
  func replaces(old: String, new: String, expected: [String]) throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(1, scope: old), to: &document)
    try apply(TestUser.anna.response(2, scope: new), to: &document)
    #expect(document.secrets(.accessToken) == expected)
  }

  @Test("Access tokens of two resources do not replace each other for OpenID Connect scopes")
  func openIDScopes() throws {
    var document = CacheDocument()
    try apply(
      TestUser.anna.response(1, scope: "mail.read openid profile email offline_access"), to: &document)
    try apply(
      TestUser.anna.response(2, scope: "files.read openid profile email offline_access"), to: &document)
    #expect(document.secrets(.accessToken) == ["at-1", "at-2"])
  }

  @Test("An access token of another tenant, scheme or claims is not replaced")
  func others() throws {
    for change: JSONObject in [
      ["realm": "other"], ["credential_type": "AccessToken_With_AuthScheme", "token_type": "pop"],
      ["requested_claims": "{}"],
    ] {
      var document = CacheDocument()
      try apply(TestUser.anna.response(1), to: &document)
      let old = try #require(document[.accessToken].first { _ in true }?.value.objectValue)
      document[.accessToken] = ["old": .object(old.changed(by: change))]
      try apply(TestUser.anna.response(2), to: &document)
      #expect(document[.accessToken].count == 2)
    }
  }

  @Test("A rotated refresh token replaces the one redeemed")
  func rotation() throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(1), to: &document)
    try apply(TestUser.anna.response(2), to: &document, redeemed: "rt-1")
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A refresh token stored after another was redeemed remains")
  func newSignIn() throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(2), to: &document)
    try apply(TestUser.anna.response(3), to: &document, redeemed: "rt-1")
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A sign-in's refresh token replaces the stored one")
  func signIn() throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(1), to: &document)
    try apply(TestUser.anna.response(2), to: &document)
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A response without a refresh token leaves the stored one")
  func noRotation() throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(1), to: &document)
    try apply(TestUser.anna.response(2, changing: ["refresh_token": .null]), to: &document, redeemed: "rt-1")
    #expect(document.secrets(.refreshToken) == ["rt-1"])
  }

  @Test("A family's refresh token goes to the family's record and removes the client's own older one")
  func family() throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(1), to: &document)
    try apply(TestUser.anna.response(2, family: "1"), to: &document)
    #expect(document.secrets(.refreshToken).isEmpty)
    #expect(document.appMetadata.first?.familyID == "1")
  }

  @Test("A client that left its family has no family in its metadata")
  func leavingFamily() throws {
    var document = CacheDocument()
    try apply(TestUser.anna.response(1, family: "1"), to: &document)
    try apply(TestUser.anna.response(2), to: &document)
    #expect(document.appMetadata.map(\.familyID) == [""])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
  }
}
