// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Learning environments")
struct LearningTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private static let discovery = InstanceDiscovery(clouds: [
    InstanceDiscovery.Cloud(
      preferredNetwork: "login.sovereign.example", preferredCache: "cache.sovereign.example",
      aliases: ["login.sovereign.example", "cache.sovereign.example", "old.sovereign.example"])
  ])

  /// An app over a cloud that this package does not know.
  private func app(_ name: String, at host: String, isOnline: Bool = true) throws -> TokenCache {
    TokenCache(
      backend: group.backend, app: try SharedGroup.id(name), clientID: SharedGroup.suite,
      authority: try Authority("https://\(host)/common", kind: .aad),
      endpoint: isOnline ? group.endpoint : nil, options: group.options)
  }

  @Test("Before anything is learnt, two hosts are two environments")
  func before() async throws {
    try await app("mail", at: "old.sovereign.example").signIn(anna.answer())
    let calendar = try app("calendar", at: "login.sovereign.example")
    let account = try #require(try await calendar.accounts().first)
    await #expect(throws: SecretStoreError(.interactionRequired, "")) {
      try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
    }
  }

  @Test("What was stored under one host is found under all of them, by every app, from then on")
  func found() async throws {
    let old = try await app("mail", at: "old.sovereign.example").signIn(anna.answer())
    try await app("mail", at: "login.sovereign.example").learn(Self.discovery)
    for host in ["login", "old", "cache"] {
      let calendar = try app("calendar", at: "\(host).sovereign.example", isOnline: false)
      let account = try #require(try await calendar.account())
      #expect(account.environment == "cache.sovereign.example")
      for account in [account, old] {
        let result = try await calendar.acquireTokenSilent(scopes: ["mail.read"], account: account)
        #expect(result.accessToken == "at-1")
      }
    }
  }

  @Test("What is saved later goes to the cloud's preferred host, and is refreshed there")
  func saved() async throws {
    let mail = try app("mail", at: "login.sovereign.example")
    try await mail.learn(Self.discovery)
    let account = try await mail.signIn(anna.answer())
    #expect(account.environment == "cache.sovereign.example")
    await group.endpoint.answer(anna.answer(2))
    let result = try await mail.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(result.saveError == nil)
    let records = try await group.backend.records(matching: .all(.credentials))
    #expect(records.map(\.key.environment) == ["cache.sovereign.example"])
    #expect(try records.first?.document().secrets(.accessToken) == ["at-2"])
  }

  @Test("Of two records of one account, the newer tokens count, and whoever signed out stays signed out")
  func merged() async throws {
    let old = try app("mail", at: "old.sovereign.example")
    let account = try await old.signIn(anna.answer(1))
    try await app("calendar", at: "old.sovereign.example").signIn(anna.answer(1))
    try await app("calendar", at: "old.sovereign.example").signOut(account)
    group.clock.advance(by: 10)
    try await app("mail", at: "login.sovereign.example").signIn(anna.answer(2))
    try await old.learn(Self.discovery)
    let records = try await group.backend.records(matching: .all(.credentials))
    let document = try #require(try records.first?.document())
    #expect(records.count == 1)
    #expect(document.secrets(.accessToken) == ["at-2"])
    #expect(document.secrets(.refreshToken) == ["rt-2"])
    #expect(try await app("calendar", at: "login.sovereign.example").accounts().isEmpty)
    #expect(try await app("mail", at: "login.sovereign.example").accounts().count == 1)
  }

  @Test("Signing out with an account from before finds the record where it is now")
  func signOut() async throws {
    let mail = try app("mail", at: "old.sovereign.example")
    let account = try await mail.signIn(anna.answer())
    try await mail.learn(Self.discovery)
    try await mail.signOut(account)
    #expect(try await mail.accounts().isEmpty)
    let records = try await group.backend.records(matching: .all(.credentials))
    #expect(try records.allSatisfy { try !$0.document().hasTokens })
  }

  @Test("Learning again, or what is known already, writes nothing")
  func again() async throws {
    let mail = try app("mail", at: "login.sovereign.example")
    try await mail.signIn(anna.answer())
    try await mail.learn(Self.discovery)
    let stored = try await group.stored()
    try await mail.learn(Self.discovery)
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

  @Test("What was learnt survives in the group, which is all that it is kept in")
  func kept() async throws {
    try await app("mail", at: "login.sovereign.example").learn(Self.discovery)
    #expect(try await group.stored().keys.map(\.self) == [.groupData("environments")])
    await group.backend.plant(Array("{".utf8), for: .groupData("environments"))
    await #expect(throws: SecretStoreError(.corruptItem, "")) {
      try await app("mail", at: "login.sovereign.example").learn(Self.discovery)
    }
  }
}
