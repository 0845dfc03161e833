// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Moving under one host")
struct MovingTests {
  private let group = SharedGroup()
  private let anna = Person.anna

  private static let discovery = InstanceDiscovery(clouds: [
    InstanceDiscovery.Cloud(
      preferredNetwork: "login.sovereign.example", preferredCache: "cache.sovereign.example",
      aliases: ["login.sovereign.example", "cache.sovereign.example", "old.sovereign.example"])
  ])

  /// An app over a cloud that this package does not know.
  private func app(
    _ name: String, at host: String, through backend: (any TokenCacheBackend)? = nil, isOnline: Bool = true
  ) throws -> TokenCache {
    TokenCache(
      backend: backend ?? group.backend, app: try SharedGroup.id(name), clientID: SharedGroup.suite,
      authority: try Authority("https://\(host)/common", kind: .aad),
      endpoint: isOnline ? group.endpoint : nil, options: group.options)
  }

  @Test("A sign-out that races learning stays a sign-out")
  func learnSignOut() async throws {
    let old = try app("mail", at: "old.sovereign.example")
    let account = try await old.signIn(anna.answer(1))
    // The signing-out app read the aliases before they were learnt.
    let stale = try app(
      "mail", at: "old.sovereign.example",
      through: WatchedBackend(inner: group.backend, unseen: [.groupData("environments")]))
    let learner = try app(
      "calendar", at: "login.sovereign.example",
      through: WatchedBackend(
        inner: group.backend,
        afterRecords: { query in
          if query.kind == .credentials { try await stale.signOut(account) }
        }))
    try await learner.learn(Self.discovery)
    #expect(try await app("mail", at: "login.sovereign.example").accounts().isEmpty)
    let left = try await group.backend.records(matching: .all(.credentials)).flatMap {
      try $0.document().secrets(.refreshToken)
    }
    #expect(left.isEmpty, "\(left)")
  }

  @Test("Apps that are signed in under either host are under the one")
  func learnApps() async throws {
    try await app("mail", at: "old.sovereign.example").signIn(anna.answer(1))
    group.clock.advance(by: 10)
    let account = try await app("calendar", at: "cache.sovereign.example").signIn(anna.answer(2))
    try await app("calendar", at: "cache.sovereign.example").learn(Self.discovery)
    try await app("calendar", at: "cache.sovereign.example").signOut(account)
    #expect(try await app("mail", at: "login.sovereign.example").accounts().count == 1)
  }

  @Test("A cache that is imported after learning is found")
  func importAfterLearn() async throws {
    let other = SharedGroup()
    let foreign = TokenCache(
      backend: other.backend, app: try SharedGroup.id("mail"), clientID: SharedGroup.suite,
      authority: try Authority("https://login.sovereign.example/common", kind: .aad), endpoint: nil,
      options: other.options)
    try await foreign.signIn(anna.answer(1))
    let file = try await CacheExchange(backend: other.backend).exportUnified().json
    let mail = try app("mail", at: "login.sovereign.example", isOnline: false)
    try await mail.learn(Self.discovery)
    _ = try await CacheExchange(backend: group.backend).importUnified(file)
    let account = try #require(try await mail.accounts().first)
    let r = try? await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(r?.accessToken == "at-1")
  }

  @Test("A credential that is saved after learning is found")
  func credentialAfterLearn() async throws {
    let mail = try app("mail", at: "login.sovereign.example")
    try await mail.learn(Self.discovery)
    let account = try await mail.signIn(anna.answer(1))
    let bound = try CredentialEntry(fields: [
      "credential_type": "BoundRefreshToken", "home_account_id": .string(anna.identifier),
      "environment": "login.sovereign.example", "client_id": .string(SharedGroup.suite), "secret": "d1",
    ])
    try await mail.save(bound)
    #expect(
      try await mail.credentials(of: account, matching: CredentialQuery([.boundRefreshToken])).count == 1)
  }

  @Test("A cached look-up under a host that nothing was learnt of is one read, a save one more")
  func hotUnknown() async throws {
    let spy = WatchedBackend(inner: group.backend)
    let mail = try app("mail", at: "login.sovereign.example", through: spy)
    let account = try await mail.signIn(anna.answer(1))
    spy.log.clear()
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    let lines = spy.log.all
    #expect(lines == ["record credentials"])
    spy.log.clear()
    try await mail.signIn(anna.answer(1))
    let lines2 = spy.log.all
    #expect(lines2 == ["record groupData", "update credentials"])
  }

  @Test("An old sign-out under one host does not undo a newer sign-in under another")
  func oldSignOut() async throws {
    let old = try app("mail", at: "old.sovereign.example")
    try await old.signOut(try await old.signIn(anna.answer(1)))
    group.clock.advance(by: 100_000)
    let new = try app("mail", at: "cache.sovereign.example")
    try await new.signIn(anna.answer(2))
    try await new.learn(Self.discovery)
    #expect(try await new.accounts().count == 1)
  }
}
