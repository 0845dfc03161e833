// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("External accounts")
struct ExternalAccountsTests {
  private actor Provider: ExternalAccountProvider {
    struct Failed: Error {}

    private let kept: [Account]
    private var fails: Bool
    private(set) var log: [String] = []
    private(set) var reads = 0

    init(_ kept: [Account] = [], fails: Bool = false) {
      self.kept = kept
      self.fails = fails
    }

    func fail() { fails = true }

    func accounts() throws -> [Account] {
      reads += 1
      if fails { throw Failed() }
      return kept
    }

    func update(_ account: Account, claims: IDTokenClaims?) throws {
      log.append("update \(account.username) \(claims?["name"] ?? "without claims")")
      if fails { throw Failed() }
    }

    func remove(_ account: Account) throws {
      log.append("remove \(account.username)")
      if fails { throw Failed() }
    }
  }

  private static let azure = "login.microsoftonline.com"
  private static let carla = Account(identifier: "", username: "carla@contoso.com", environment: azure)

  private let group = SharedGroup()

  private func cache(_ providers: Provider...) throws -> TokenCache {
    try group.app("mail") { $0.externalAccounts = providers }
  }

  @Test("While a provider fails, watchers get no removal of its accounts")
  func watched() async throws {
    let provider = Provider([Self.carla])
    var changes = try cache(provider).changes().makeAsyncIterator()
    _ = await changes.next()
    await provider.fail()
    try await group.app("mail").signIn(TestUser.anna.response())
    let change = await changes.next()
    #expect(change.map { "\($0)".hasPrefix("added ") } == true)
    #expect(change?.account?.username == "anna@contoso.com")
  }

  @Test("An account of the same name at another issuer is another account")
  func otherIssuer() async throws {
    let elsewhere = ["https://id.contoso.com/red", "https://id.contoso.com/blue"].map {
      Account(identifier: "", username: TestUser.anna.username, environment: $0)
    }
    let known = Account(identifier: "", username: "ANNA@contoso.com", environment: Self.azure)
    let cache = try cache(Provider(elsewhere + [known]))
    let own = try await cache.signIn(TestUser.anna.response())
    #expect(Set(try await cache.accounts().map(\.environment)) == Set((elsewhere + [own]).map(\.environment)))
    #expect(try await cache.accounts().count == 3)
  }

  @Test(
    "The list has them sorted among the group's accounts, and a look-up finds them by name and identifier")
  func listed() async throws {
    let boris = Account(
      identifier: TestUser.boris.identifier, username: "boris@contoso.com", environment: Self.azure)
    let cache = try cache(Provider([Self.carla]), Provider([boris]))
    try await cache.signIn(TestUser.anna.response())
    #expect(
      try await cache.accounts().map(\.username) == [
        "anna@contoso.com", "boris@contoso.com", "carla@contoso.com",
      ])
    #expect(try await cache.account(username: "CARLA@contoso.com") == Self.carla)
    #expect(try await cache.account(identifier: TestUser.boris.identifier)?.username == "boris@contoso.com")
  }

  @Test("An account that the group has, by identifier or else by name, is not listed twice")
  func known() async throws {
    let cache = try cache(
      Provider([
        Account(
          identifier: TestUser.anna.identifier, username: "old-name@contoso.com", environment: Self.azure),
        Account(identifier: "", username: "Anna@contoso.com", environment: Self.azure),
      ]))
    try await cache.signIn(TestUser.anna.response())
    #expect(try await cache.accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("A look-up of an account that the app uses, by its identifier, calls no provider")
  func notAsked() async throws {
    let provider = Provider([Self.carla])
    let cache = try cache(provider)
    let account = try await cache.signIn(TestUser.anna.response())
    #expect(try await cache.account(identifier: account.identifier) == account)
    #expect(await provider.reads == 0)
    #expect(try await cache.account(identifier: TestUser.boris.identifier) == nil)
    #expect(await provider.reads == 1)
  }

  @Test("If one provider cannot be read, the list has the group's accounts")
  func unreadable() async throws {
    let cache = try cache(Provider([Self.carla]), Provider(fails: true))
    await #expect(throws: SecretStoreError.self) { try await cache.signIn(TestUser.anna.response()) }
    #expect(try await cache.accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("A silent call for an external account throws interactionRequired")
  func silent() async throws {
    let cache = try cache(Provider([Self.carla]))
    let error = await #expect(throws: SecretStoreError.self) {
      try await cache.acquireTokenSilent(scopes: ["mail.read"], account: Self.carla)
    }
    #expect(error?.code == .interactionRequired)
  }

  @Test("Each provider receives sign-ins, refreshes and sign-outs, and not what comes from the cache")
  func notifications() async throws {
    let (one, two) = (Provider(), Provider())
    let cache = try cache(one, two)
    let account = try await cache.signIn(TestUser.anna.response(1))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    await group.endpoint.response(TestUser.anna.response(2))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    try await cache.signOut(account)
    for provider in [one, two] {
      #expect(
        await provider.log == [
          "update anna@contoso.com A Person", "update anna@contoso.com A Person", "remove anna@contoso.com",
        ])
    }
  }

  @Test("A provider's failure is reported and stops neither the cache nor the other providers")
  func failing() async throws {
    let (failing, other) = (Provider(fails: true), Provider())
    let cache = try cache(failing, other)
    var error = await #expect(throws: SecretStoreError.self) {
      try await cache.signIn(TestUser.anna.response(1))
    }
    #expect(error?.code == .storageFailed && error?.underlying is Provider.Failed)
    let account = try #require(try await cache.account())
    await group.endpoint.response(TestUser.anna.response(2))
    let result = try await cache.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(result.saveError?.code == .storageFailed && result.accessToken == "at-2")
    error = await #expect(throws: SecretStoreError.self) { try await cache.signOut(account) }
    #expect(error?.code == .storageFailed)
    #expect(try await cache.accounts().isEmpty)
    #expect(await other.log.count == 3)
  }

  @Test("An account that only a provider has is found by its identifier, also without ADAL and a broker")
  func foundByIdentifier() async throws {
    let account = Account(identifier: TestUser.boris.identifier, username: "boris", environment: Self.azure)
    let mail = try SharedGroup().app("mail") {
      $0.legacySignIns = nil
      $0.externalAccounts = [Provider([account])]
    }
    #expect(try await mail.account(identifier: TestUser.boris.identifier.uppercased())?.username == "boris")
    #expect(try await mail.account(identifier: TestUser.anna.identifier) == nil)
  }
}
