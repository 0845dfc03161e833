// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

extension ServiceTests {
  /// What each operation costs, as the bus counts it: a method call and its reply are one round trip.
  @Suite("Round trips", .serialized)
  struct RoundTrips {
    private let group: RoundTripGroup

    init() throws { group = try RoundTripGroup() }

    // MARK: Silent look-ups

    @Test("A cold silent look-up on an open connection: 2")
    func coldLookUp() async throws {
      try await group.signIn(1...2)
      let store = try await group.openStore()
      let account = try await account(1, store)
      let cache = try group.cache(store)
      let members = try await BusMonitor.members { try await expectToken("at-1-1", cache, account) }
      #expect(members == ["SearchItems", "GetSecrets"])
    }

    @Test("A repeated silent look-up in the same process: 1")
    func repeatedLookUp() async throws {
      try await group.signIn(1...2)
      let store = try await group.openStore()
      let account = try await account(1, store)
      let cache = try group.cache(store)
      try await expectToken("at-1-1", cache, account)
      let members = try await BusMonitor.members { try await expectToken("at-1-1", cache, account) }
      #expect(members == ["GetSecrets"])
    }

    @Test("A repeated silent look-up after a sibling saved a newer token, which it returns: 1")
    func lookUpAfterSibling() async throws {
      try await group.signIn(1...2)
      let store = try await group.openStore()
      let account = try await account(1, store)
      let cache = try group.cache(store)
      try await expectToken("at-1-1", cache, account)
      let sibling = try group.cache(SecretStore(), app: "com.example.calendar")
      try await sibling.save(
        RoundTripGroup.response(account: 1, version: 2), scopes: RoundTripGroup.scopes)
      let members = try await BusMonitor.members { try await expectToken("at-1-2", cache, account) }
      #expect(members == ["GetSecrets"])
    }

    // MARK: Saves

    @Test("Saving a token response for an account known in this process: 1 write")
    func save() async throws {
      try await group.signIn(1...2)
      let cache = try group.cache(SecretStore())
      try await cache.save(RoundTripGroup.response(account: 1), scopes: RoundTripGroup.scopes)
      let response = try RoundTripGroup.response(account: 1, version: 2)
      let members = try await BusMonitor.members {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      #expect(members == ["GetSecrets", "SetSecret"])
    }

    @Test("Saving a token response for an account that another process signed in: 1 write")
    func coldSave() async throws {
      try await group.signIn(1...2)
      let cache = try group.cache(try await group.openStore())
      let response = try RoundTripGroup.response(account: 1, version: 2)
      let members = try await BusMonitor.members {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      #expect(members == ["SearchItems", "GetSecrets", "SetSecret"])
    }

    @Test("Saving a response with a family token: 2 writes, the family's first")
    func saveFamily() async throws {
      try await group.signIn(1...2, foci: "1")
      let cache = try group.cache(SecretStore())
      try await cache.save(RoundTripGroup.response(account: 1, foci: "1"), scopes: RoundTripGroup.scopes)
      let response = try RoundTripGroup.response(account: 1, version: 2, foci: "1")
      let calls = try await BusMonitor.calls {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      #expect(calls.map(\.member) == ["GetSecrets", "SetSecret", "GetSecrets", "SetSecret"])
      let written = calls.filter { $0.member == "SetSecret" }.map(\.path)
      let family = try await group.item("family", account: 1)
      let document = try await group.item("credentials", account: 1)
      #expect(written == [family, document])
    }

    @Test("The first save of an account in a group that is there: 1 write")
    func firstSave() async throws {
      try await group.signIn(1...1)
      let cache = try group.cache(try await group.openStore())
      let response = try RoundTripGroup.response(account: 2)
      let members = try await BusMonitor.members {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      // The item is not there; the group's marker proves it, then says where to make it.
      #expect(
        members
          == ["SearchItems", "SearchItems", "GetSecrets", "CreateItem"])
    }

    // MARK: Accounts

    @Test("Listing accounts: 3 with ADAL's, whatever their number", arguments: [1, 5, 25])
    func list(count: Int) async throws {
      try await group.signIn(1...count)
      let cache = try group.cache(try await group.openStore())
      let members = try await BusMonitor.members {
        let accounts = try await cache.accounts()
        #expect(accounts.count == count)
      }
      #expect(members == ["SearchItems", "SearchItems", "GetSecrets"])
    }

    @Test("Finding an account by its identifier: 2")
    func find() async throws {
      try await group.signIn(1...5)
      let cache = try group.cache(try await group.openStore())
      let identifier = RoundTripGroup.identifier(account: 3)
      let members = try await BusMonitor.members {
        let account = try await cache.account(identifier: identifier)
        #expect(account?.identifier == identifier)
      }
      #expect(members == ["SearchItems", "GetSecrets"])
    }

    // MARK: Helpers

    private func account(_ number: Int, _ store: SecretStore) async throws -> Account {
      let identifier = RoundTripGroup.identifier(account: number)
      return try #require(try await group.cache(store).account(identifier: identifier))
    }

    private func expectToken(_ token: String, _ cache: TokenCache, _ account: Account) async throws {
      let result = try await cache.acquireTokenSilent(scopes: RoundTripGroup.scopes, account: account)
      #expect(result.accessToken == token)
      #expect(result.source == .cache)
    }
  }
}
