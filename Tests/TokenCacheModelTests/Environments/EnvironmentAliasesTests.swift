// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Environment aliases")
struct EnvironmentAliasesTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("Before discovery two hosts are two environments")
  func before() async throws {
    try await group.app("mail", at: "old.sovereign.example").signIn(anna.response())
    let calendar = try group.app("calendar", at: "login.sovereign.example")
    let account = try #require(try await calendar.accounts().first)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("After discovery every app finds records stored under one host under all of them")
  func found() async throws {
    let old = try await group.app("mail", at: "old.sovereign.example").signIn(anna.response())
    try await group.app("mail", at: "login.sovereign.example").learn(.sovereign)
    for host in ["login", "old", "cache"] {
      let calendar = try group.app("calendar", at: "\(host).sovereign.example", isOnline: false)
      let account = try #require(try await calendar.account())
      #expect(account.environment == "cache.sovereign.example")
      for account in [account, old] {
        let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
        #expect(result.accessToken == "at-1")
      }
    }
  }

  @Test("Later saves go to the cloud's preferred host and are refreshed there")
  func saved() async throws {
    let mail = try group.app("mail", at: "login.sovereign.example")
    try await mail.learn(.sovereign)
    let account = try await mail.signIn(anna.response())
    #expect(account.environment == "cache.sovereign.example")
    await group.endpoint.response(anna.response(2))
    let result = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(result.saveError == nil)
    let records = try await group.backend.records(matching: .all(.credentials))
    #expect(records.map(\.key.environment) == ["cache.sovereign.example"])
    #expect(try records.first?.document().secrets(.accessToken) == ["at-2"])
  }

  @Test("Of two records of one account the newer tokens count, and a signed-out app stays signed out")
  func merged() async throws {
    let old = try group.app("mail", at: "old.sovereign.example")
    let account = try await old.signIn(anna.response(1))
    try await group.app("calendar", at: "old.sovereign.example").signIn(anna.response(1))
    try await group.app("calendar", at: "old.sovereign.example").signOut(account)
    group.clock.advance(by: 10)
    try await group.app("mail", at: "login.sovereign.example").signIn(anna.response(2))
    try await old.learn(.sovereign)
    let records = try await group.backend.records(matching: .all(.credentials))
    let document = try #require(try records.first?.document())
    #expect(records.count == 1)
    #expect(document.secrets(.accessToken) == ["at-2"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(try await group.app("calendar", at: "login.sovereign.example").accounts().isEmpty)
    #expect(try await group.app("mail", at: "login.sovereign.example").accounts().count == 1)
  }

  @Test("Signing out with an earlier account value finds the record at its new host")
  func signOut() async throws {
    let mail = try group.app("mail", at: "old.sovereign.example")
    let account = try await mail.signIn(anna.response())
    try await mail.learn(.sovereign)
    try await mail.signOut(account)
    #expect(try await mail.accounts().isEmpty)
    let records = try await group.backend.records(matching: .all(.credentials))
    #expect(try records.allSatisfy { try !$0.document().hasTokens })
  }

  @Test("A repeated discovery, or one of known hosts, writes nothing")
  func again() async throws {
    let mail = try group.app("mail", at: "login.sovereign.example")
    try await mail.signIn(anna.response())
    try await mail.learn(.sovereign)
    let stored = try await group.stored()
    try await mail.learn(.sovereign)
    #expect(try await group.stored() == stored)
    let other = SharedGroup()
    try await other.app("mail").learn(
      InstanceDiscovery(clouds: [
        InstanceDiscovery.Cloud(
          preferredNetwork: "login.microsoftonline.com", preferredCache: "login.windows.net",
          aliases: ["login.microsoftonline.com", "sts.windows.net"])
      ]))
    #expect(try await other.stored().isEmpty)
  }

  @Test("The group's document stores the learned clouds")
  func kept() async throws {
    try await group.app("mail", at: "login.sovereign.example").learn(.sovereign)
    #expect(try await group.stored().keys.map(\.self) == [.groupData("environments")])
    await group.backend.storeRaw(Array("{".utf8), for: .groupData("environments"))
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await group.app("mail", at: "login.sovereign.example").learn(.sovereign)
    }
  }

  @Test(
    "A cloud that the package knows takes no read of the group's aliases",
    arguments: [SharedGroup.azure, "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"])
  func shipped(authority: String) async throws {
    let watched = WatchedBackend(inner: group.backend)
    let mail = try group.app("mail", authority: authority, through: watched)
    try await mail.signIn(anna.response(1))
    _ = try await mail.accounts()
    #expect(!watched.log.all.contains { $0.contains("groupData") })
  }
}
