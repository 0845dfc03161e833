// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Moving records under the preferred host")
struct EnvironmentMoveTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  @Test("A sign-out during a discovery remains effective")
  func learnSignOut() async throws {
    let old = try group.app("mail", at: "old.sovereign.example")
    let account = try await old.signIn(anna.response(1))
    // The app that signs out read the aliases before the discovery.
    let stale = try group.app(
      "mail", at: "old.sovereign.example",
      through: WatchedBackend(inner: group.backend, unseen: [.groupData("environments")]))
    let learner = try group.app(
      "calendar", at: "login.sovereign.example",
      through: WatchedBackend(
        inner: group.backend,
        afterRecords: { query in
          if query.kind == .credentials { try await stale.signOut(account) }
        }))
    try await learner.learn(.sovereign)
    #expect(try await group.app("mail", at: "login.sovereign.example").accounts().isEmpty)
    let left = try await group.backend.records(matching: .all(.credentials)).flatMap {
      try $0.document().secrets(.refreshToken)
    }
    #expect(left.isEmpty, "\(left)")
  }

  @Test("Apps signed in under either host are signed in under the preferred one")
  func learnApps() async throws {
    try await group.app("mail", at: "old.sovereign.example").signIn(anna.response(1))
    group.clock.advance(by: 10)
    let account = try await group.app("calendar", at: "cache.sovereign.example").signIn(anna.response(2))
    try await group.app("calendar", at: "cache.sovereign.example").learn(.sovereign)
    try await group.app("calendar", at: "cache.sovereign.example").signOut(account)
    #expect(try await group.app("mail", at: "login.sovereign.example").accounts().count == 1)
  }

  @Test("A cache that is imported after a discovery is found")
  func importAfterLearn() async throws {
    let other = SharedGroup()
    let foreign = TokenCache(
      backend: other.backend, app: try SharedGroup.id("mail"), clientID: SharedGroup.suite,
      authority: try Authority("https://login.sovereign.example/common", kind: .aad), endpoint: nil,
      options: other.options)
    try await foreign.signIn(anna.response(1))
    let file = try await CacheTransfer(backend: other.backend).exportUnified().json
    let mail = try group.app("mail", at: "login.sovereign.example", isOnline: false)
    try await mail.learn(.sovereign)
    _ = try await CacheTransfer(backend: group.backend).importUnified(file)
    let account = try #require(try await mail.accounts().first)
    let r = try? await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(r?.accessToken == "at-1")
  }

  @Test("A credential that is saved after a discovery is found")
  func credentialAfterLearn() async throws {
    let mail = try group.app("mail", at: "login.sovereign.example")
    try await mail.learn(.sovereign)
    let account = try await mail.signIn(anna.response(1))
    let bound = try CredentialEntry(fields: [
      "credential_type": "BoundRefreshToken", "home_account_id": .string(anna.identifier),
      "environment": "login.sovereign.example", "client_id": .string(SharedGroup.suite), "secret": "d1",
    ])
    try await mail.save(bound)
    #expect(
      try await mail.credentials(of: account, matching: CredentialQuery([.boundRefreshToken])).count == 1)
  }

  @Test("A cached look-up under an undiscovered host costs one read, and a save one more")
  func hotUnknown() async throws {
    let spy = WatchedBackend(inner: group.backend)
    let mail = try group.app("mail", at: "login.sovereign.example", through: spy)
    let account = try await mail.signIn(anna.response(1))
    spy.log.clear()
    _ = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    let lines = spy.log.all
    #expect(lines == ["record credentials"])
    spy.log.clear()
    try await mail.signIn(anna.response(1))
    let lines2 = spy.log.all
    #expect(lines2 == ["record groupData", "update credentials"])
  }

  @Test("An old sign-out under one host does not undo a newer sign-in under another")
  func oldSignOut() async throws {
    let old = try group.app("mail", at: "old.sovereign.example")
    try await old.signOut(try await old.signIn(anna.response(1)))
    group.clock.advance(by: 100_000)
    let new = try group.app("mail", at: "cache.sovereign.example")
    try await new.signIn(anna.response(2))
    try await new.learn(.sovereign)
    #expect(try await new.accounts().count == 1)
  }
}
