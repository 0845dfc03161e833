// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("What happens during a refresh")
struct RefreshMeanwhileTests {
  private let group = SharedGroup()
  private let anna = Person.anna
  private let interaction = SecretStoreError(.interactionRequired, "")

  private func suite(_ app: String = "mail") throws -> TokenCache { try group.app(app) }

  private func office(_ app: String = "word") throws -> TokenCache {
    try group.app(app, client: SharedGroup.office)
  }

  private func refresh(
    _ cache: TokenCache, _ account: Account, _ scopes: Scopes = ["mail.read"]
  ) async throws -> TokenResult {
    try await cache.acquireTokenSilent(scopes: scopes, account: account, forceRefresh: true)
  }

  private func refuse(_ suberror: String? = nil, code: String = "invalid_grant") async {
    let addition = suberror.map { #","suberror":"\#($0)""# } ?? ""
    await group.endpoint.answer(body: #"{"error":"\#(code)"\#(addition)}"#, status: 400)
  }

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

  @Test("A group that was emptied during a family's refresh stays empty")
  func wipeResurrect() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    await group.endpoint.answer(anna.answer(2))
    let group = group
    await group.endpoint.beforeAnswering {
      try await AccountDirectory(backend: group.backend).removeEverything(by: "x", clock: group.clock)
    }
    _ = try? await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await AccountDirectory(backend: group.backend).accounts().isEmpty)
  }

  @Test("An account that was signed out everywhere during a family's refresh stays so")
  func everywhereResurrect() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    await group.endpoint.answer(anna.answer(2))
    let group = group
    await group.endpoint.beforeAnswering {
      try await AccountDirectory(backend: group.backend).signOut(account)
    }
    _ = try? await office().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(try await AccountDirectory(backend: group.backend).accounts().isEmpty)
  }

  @Test("A group that was replaced by nothing during a family's refresh stays empty")
  func replaceResurrect() async throws {
    let account = try await group.app("mail").signIn(anna.answer(1, family: "1"))
    await group.endpoint.answer(anna.answer(2, family: "1"))
    let group = group
    await group.endpoint.beforeAnswering {
      var options = ImportOptions(); options.replaces = true
      _ = try await CacheExchange(backend: group.backend).importUnified(Array("{}".utf8), options: options)
    }
    _ = try? await group.app("word", client: SharedGroup.office).acquireTokenSilent(
      scopes: ["mail.read"], account: account)
    let left = try await AccountDirectory(backend: group.backend).accounts()
    #expect(left.isEmpty, "\(left)")
  }

  @Test("An account that was deleted and signed in to meanwhile stays")
  func deletedCompare() async throws {
    let account = try await suite().signIn(anna.answer(1))
    await refuse("user_account_deleted")
    let (group, anna) = (group, anna)
    await group.endpoint.beforeAnswering { try await group.app("calendar").signIn(anna.answer(2)) }
    #expect(try await refresh(suite(), account).accessToken == "at-2")
    #expect(try await group.document()?.secrets(.refreshToken) == ["rt-2"])
  }

  @Test("A client that signs in while the family's record is removed keeps its token")
  func removeFamilyRace() async throws {
    let account = try await suite().signIn(anna.answer(1, family: "1"))
    let office = try office(), anna = anna
    let mail = try group.app(
      "mail",
      through: WatchedBackend(
        inner: group.backend,
        beforeUpdate: { key in
          if key.kind == .family { try await office.signIn(anna.answer(5, family: "1")) }
        }))
    try await mail.signOut(account)
    #expect(try await group.familyDocument()?.secrets(.refreshToken) == ["rt-5"])
  }

  @Test("Learning during a refresh loses nothing")
  func learnDuringRefresh() async throws {
    let old = try app("mail", at: "old.sovereign.example")
    let account = try await old.signIn(anna.answer(1))
    await group.endpoint.answer(anna.answer(2))
    await group.endpoint.beforeAnswering { try await old.learn(Self.discovery) }
    let r = try? await old.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(r?.accessToken == "at-2")
    let left = try await group.backend.records(matching: .all(.credentials)).flatMap {
      try $0.document().secrets(.refreshToken)
    }
    #expect(left == ["rt-2"])
  }
}
