// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Synchronization
import Testing

@testable import TokenCacheModel

@Suite("Taking up a sign-in of ADAL's beside others")
struct TakingUpElsewhereTests {
  private let group = SharedGroup()

  @Test("A person of the same name in another cloud is somebody else", arguments: [true, false])
  func otherCloud(isADAL: Bool) async throws {
    try await group.app("mail", authority: "https://login.microsoftonline.us/common").signIn(
      Person.anna.answer(1))
    let mail = try group.app("mail")
    if isADAL {
      #expect(try await group.adal("mail").users().isEmpty)
      return
    }
    try await group.plant(Person.anna.legacyRefreshToken())
    let account = Account(identifier: "", username: "anna@contoso.com", environment: "login.windows.net")
    await group.endpoint.answer(Person.anna.answer(2))
    let result = try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-2" && result.account.environment == "login.windows.net")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt"])
  }

  @Test("Whoever finds the sign-in taken up goes on without ADAL's lease, and waits for nobody")
  func noDeadlock() async throws {
    try await group.plant(Person.anna.legacyRefreshToken())
    let old = try #require(try await group.app("mail").account())
    var watched = WatchedBackend(inner: group.backend)
    let first = Mutex(true)
    watched.beforeLease = { [group] key in
      guard key.kind == .legacy, first.withLock({ $0.take() }) else { return }
      await group.endpoint.answer(Person.anna.answer(2))
      _ = try await group.app("first").acquireTokenSilent(scopes: ["mail.read"], account: old)
      await group.endpoint.answer(["error": "invalid_grant"], status: 400)
      await group.endpoint.answer(Person.anna.answer(4, scope: "calendar.read"))
    }
    let second = try group.app("second", through: watched)
    #expect(
      try await second.acquireTokenSilent(scopes: ["calendar.read"], account: old).accessToken == "at-4")
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["legacy-rt", "rt-2", "legacy-rt"])
  }

  @Test("A single-account app sees that the user has changed, and that one who is taken up has not")
  func currentAccount() async throws {
    let mail = try group.app("mail")
    try await group.plant(Person.anna.legacyRefreshToken())
    #expect(try await mail.currentAccount().hasChanged)
    #expect(try await mail.currentAccount().hasChanged == false)
    try await group.backend.remove(.legacy(Person.anna.legacyRefreshToken()))
    try await group.plant(Person.boris.legacyRefreshToken())
    #expect(try await mail.currentAccount().hasChanged)
  }

  @Test("A cloud that was learnt is one cloud for ADAL's items, too")
  func learnt() async throws {
    let cloud = InstanceDiscovery.Cloud(
      preferredNetwork: "login.new.example", preferredCache: "login.cache.example",
      aliases: ["login.new.example", "login.cache.example"])
    func cache(_ host: String) throws -> TokenCache {
      TokenCache(
        backend: group.backend, app: try SharedGroup.id("mail"), clientID: SharedGroup.suite,
        authority: try Authority("https://\(host)/common", kind: .aad), endpoint: group.endpoint,
        options: group.options)
    }
    try await cache("login.new.example").learn(InstanceDiscovery(clouds: [cloud]))
    try await group.plant(
      Person.anna.legacyRefreshToken("new-rt", authority: "https://login.new.example/common"))
    for host in ["login.new.example", "login.cache.example"] {
      let mail = try cache(host)
      let account = try #require(try await mail.account())
      await group.endpoint.answer(Person.anna.answer(2))
      #expect(
        try await mail.acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-2")
      #expect(try await mail.accounts().map(\.identifier) == [Person.anna.identifier])
    }
    #expect(await group.endpoint.requests.count == 1)
  }

  // MARK: Seeding

  @Test("What a refresh brings is seeded where ADAL's app looks for it")
  func seededByRefresh() async throws {
    let account = try await group.app("mail").signIn(Person.anna.answer(1))
    await group.endpoint.answer(Person.anna.answer(2, scope: "calendar.read"))
    let seeding = try group.app("mail") { $0.seedsADAL = true }
    _ = try await seeding.acquireTokenSilent(scopes: ["calendar.read"], account: account)
    await group.endpoint.answer(Person.anna.adalAnswer(3))
    #expect(
      try await group.adal("old", .ownFormat).acquireTokenSilent(resource: SharedGroup.graph).accessToken
        == "at-3")
  }

  @Test("A user of the same name in another cloud does not keep the seed away")
  func seededBesideOtherCloud() async throws {
    try await group.plant(
      Person.anna.legacyRefreshToken(authority: "https://login.microsoftonline.us/common"))
    try await group.app("mail", change: true).signIn(Person.anna.answer(1))
    #expect(try await group.adal("old", .ownFormat).users().count == 1)
  }

  @Test("A personal account is not seeded: ADAL has none")
  func personal() async throws {
    let person = Person(
      uid: Person.anna.uid, utid: "9188040d-6c67-4c5b-b112-36a304b66dad", username: "anna@outlook.com")
    try await group.app("mail", change: true).signIn(person.answer(1))
    #expect(try await group.legacyItems().isEmpty)
  }
}

extension SharedGroup {
  fileprivate func app(_ name: String, change: Bool) throws -> TokenCache {
    try app(name) { $0.seedsADAL = change }
  }
}
