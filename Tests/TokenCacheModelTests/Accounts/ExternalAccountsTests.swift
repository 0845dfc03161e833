// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel

@Suite("Accounts that are kept elsewhere")
struct ExternalAccountsTests {
  private actor Provider: ExternalAccountProvider {
    struct Failed: Error {}

    private let kept: [Account]
    private var fails: Bool
    private(set) var log: [String] = []

    init(_ kept: [Account] = [], fails: Bool = false) {
      self.kept = kept
      self.fails = fails
    }

    func fail() { fails = true }

    func accounts() throws -> [Account] {
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

  @Test("While a provider fails, nobody who watches is told that its accounts are gone")
  func watched() async throws {
    let provider = Provider([Self.carla])
    var changes = try cache(provider).changes().makeAsyncIterator()
    _ = await changes.next()
    await provider.fail()
    try await group.app("mail").signIn(Person.anna.answer())
    let change = await changes.next()
    #expect(change.map { "\($0)".hasPrefix("added ") } == true)
    #expect(change?.account?.username == "anna@contoso.com")
  }

  @Test("They are in the list, sorted among the group's, and found by name and identifier")
  func listed() async throws {
    let boris = Account(
      identifier: Person.boris.identifier, username: "boris@contoso.com", environment: Self.azure)
    let cache = try cache(Provider([Self.carla]), Provider([boris]))
    try await cache.signIn(Person.anna.answer())
    #expect(
      try await cache.accounts().map(\.username) == [
        "anna@contoso.com", "boris@contoso.com", "carla@contoso.com",
      ])
    #expect(try await cache.account(username: "CARLA@contoso.com") == Self.carla)
    #expect(try await cache.account(identifier: Person.boris.identifier)?.username == "boris@contoso.com")
  }

  @Test("One that the group has, by the identifier or else by the name, is not listed twice")
  func known() async throws {
    let cache = try cache(
      Provider([
        Account(
          identifier: Person.anna.identifier, username: "old-name@contoso.com", environment: Self.azure),
        Account(identifier: "", username: "Anna@contoso.com", environment: Self.azure),
      ]))
    try await cache.signIn(Person.anna.answer())
    #expect(try await cache.accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("When one provider can't be read the group's accounts are the list")
  func unreadable() async throws {
    let cache = try cache(Provider([Self.carla]), Provider(fails: true))
    await #expect(throws: SecretStoreError.self) { try await cache.signIn(Person.anna.answer()) }
    #expect(try await cache.accounts().map(\.username) == ["anna@contoso.com"])
  }

  @Test("No token comes from a provider")
  func silent() async throws {
    let cache = try cache(Provider([Self.carla]))
    let error = await #expect(throws: SecretStoreError.self) {
      try await cache.acquireTokenSilent(scopes: ["mail.read"], account: Self.carla)
    }
    #expect(error?.code == .interactionRequired)
  }

  @Test("Every provider is told of sign-ins, refreshes and sign-outs, and of nothing that the cache answers")
  func told() async throws {
    let (one, two) = (Provider(), Provider())
    let cache = try cache(one, two)
    let account = try await cache.signIn(Person.anna.answer(1))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    await group.endpoint.answer(Person.anna.answer(2))
    _ = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    try await cache.signOut(account)
    for provider in [one, two] {
      #expect(
        await provider.log == [
          "update anna@contoso.com A Person", "update anna@contoso.com A Person", "remove anna@contoso.com",
        ])
    }
  }

  @Test("A provider's failure is told, and keeps neither the cache nor the other providers from their work")
  func failing() async throws {
    let (failing, other) = (Provider(fails: true), Provider())
    let cache = try cache(failing, other)
    var error = await #expect(throws: SecretStoreError.self) { try await cache.signIn(Person.anna.answer(1)) }
    #expect(error?.code == .storageFailed && error?.underlying is Provider.Failed)
    let account = try #require(try await cache.account())
    await group.endpoint.answer(Person.anna.answer(2))
    let result = try await cache.acquireTokenSilent(
      scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(result.saveError?.code == .storageFailed && result.accessToken == "at-2")
    error = await #expect(throws: SecretStoreError.self) { try await cache.signOut(account) }
    #expect(error?.code == .storageFailed)
    #expect(try await cache.accounts().isEmpty)
    #expect(await other.log.count == 3)
  }
}
