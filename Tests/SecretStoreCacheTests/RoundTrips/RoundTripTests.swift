// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import Testing

extension ServiceTests {
  /// The cost of each operation on the bus.
  ///
  /// A method call and its reply are one round trip.
  @Suite("Round trips", .serialized)
  struct RoundTripTests {
    private let group: RoundTripGroup

    init() throws { group = try RoundTripGroup() }

    // MARK: Silent look-ups

    @Test("A cold silent look-up on an open connection costs 2")
    func coldLookUp() async throws {
      try await group.signIn(1...2)
      let store = try await group.openStore()
      let account = try await account(1, store)
      let cache = try group.cache(store)
      let members = try await BusMonitor.members { try await expectToken("at-1-1", cache, account) }
      #expect(members == ["SearchItems", "GetSecrets"])
    }

    @Test("A repeated silent look-up in the same process costs 1")
    func repeatedLookUp() async throws {
      try await group.signIn(1...2)
      let store = try await group.openStore()
      let account = try await account(1, store)
      let cache = try group.cache(store)
      try await expectToken("at-1-1", cache, account)
      let members = try await BusMonitor.members { try await expectToken("at-1-1", cache, account) }
      #expect(members == ["GetSecrets"])
    }

    @Test("A repeated silent look-up after a sibling saved a newer token returns that token and costs 1")
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

    @Test("Saving a token response for an account known in this process costs 1 write")
    func save() async throws {
      try await group.signIn(1...2)
      let cache = try group.cache(SecretStore())
      try await cache.save(RoundTripGroup.response(account: 1, version: 2), scopes: RoundTripGroup.scopes)
      let response = try RoundTripGroup.response(account: 1, version: 3)
      let members = try await BusMonitor.members {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      // The search tells whether another program has made a copy of the item that counts instead.
      #expect(members == ["SearchItems", "GetSecrets", "SetSecret"])
    }

    @Test("Saving a token response for an account that another process signed in costs 1 write")
    func coldSave() async throws {
      try await group.signIn(1...2)
      let cache = try group.cache(try await group.openStore())
      let response = try RoundTripGroup.response(account: 1, version: 2)
      let members = try await BusMonitor.members {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      // The marker is searched for once and read with the record: it announces other writers of the group. Before the
      // process's first write, two searches tell whether another publisher's group has marked the collection, and one
      // whether the group's password belongs to it, which was made with the marker by the times of both.
      #expect(
        members == ["SearchItems", "SearchItems", "GetSecrets"] + Array(repeating: "SearchItems", count: 3)
          + ["Get", "Get", "SetSecret"])
    }

    @Test("Saving a response with a family token costs 2 writes, the family's first")
    func saveFamily() async throws {
      try await group.signIn(1...2, foci: "1")
      let cache = try group.cache(SecretStore())
      let first = try RoundTripGroup.response(account: 1, version: 2, foci: "1")
      try await cache.save(first, scopes: RoundTripGroup.scopes)
      let response = try RoundTripGroup.response(account: 1, version: 3, foci: "1")
      let calls = try await BusMonitor.calls {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      let save = ["SearchItems", "GetSecrets", "SetSecret"]
      #expect(calls.map(\.member) == save + save)
      let written = calls.filter { $0.member == "SetSecret" }.map(\.path)
      let family = try await group.item("family", account: 1)
      let document = try await group.item("credentials", account: 1)
      #expect(written == [family, document])
    }

    @Test("The first save of an account in an existing group costs 1 write")
    func firstSave() async throws {
      try await group.signIn(1...1)
      let cache = try group.cache(try await group.openStore())
      let response = try RoundTripGroup.response(account: 2)
      let members = try await BusMonitor.members {
        try await cache.save(response, scopes: RoundTripGroup.scopes)
      }
      // The item is absent; the group's marker proves that and names its place, unless it is another publisher's or the
      // group's password does not belong to it.
      #expect(
        members == ["SearchItems", "SearchItems", "GetSecrets"] + Array(repeating: "SearchItems", count: 3)
          + ["Get", "Get", "CreateItem"])
    }

    @Test("The first saves of further accounts cost 1 write each without a search for the marker")
    func furtherSaves() async throws {
      try await group.signIn(1...1)
      let cache = try group.cache(try await group.openStore())
      try await cache.save(try RoundTripGroup.response(account: 2), scopes: RoundTripGroup.scopes)
      let members = try await BusMonitor.members {
        for number in 3...5 {
          try await cache.save(try RoundTripGroup.response(account: number), scopes: RoundTripGroup.scopes)
        }
      }
      #expect(members == (3...5).flatMap { _ in ["SearchItems", "GetSecrets", "CreateItem"] })
    }

    // MARK: Accounts

    @Test(
      "A list with families' and ADAL's accounts costs 4, and 1 for each further 20", arguments: [1, 5, 25])
    func list(count: Int) async throws {
      try await group.signIn(1...count)
      let cache = try group.cache(try await group.openStore())
      let members = try await BusMonitor.members {
        let accounts = try await cache.accounts()
        #expect(accounts.count == count)
      }
      let secrets = Array(repeating: "GetSecrets", count: (count + 19) / 20)
      #expect(members == ["SearchItems", "SearchItems", "SearchItems"] + secrets)
    }

    @Test(
      "A list with copies in another program's collection asks about that collection once and changes nothing",
      arguments: [true, false])
    func listWithPlantedCopies(isNamed: Bool) async throws {
      try await group.signIn(1...6)
      let cache = try group.cache(try await group.openStore())
      try await group.plantCopies(in: isNamed ? group.name : "\(group.name)-copy")
      let members = try await BusMonitor.members {
        let accounts = try await cache.accounts()
        #expect(accounts.count == 6)
      }
      // The attributes of each copy are read, an alias tells whether the collection is everybody's, and three searches
      // whether the group's own is another publisher's or another program's.
      #expect(
        members.filter { $0 != "Get" }.sorted()
          == ["GetSecrets", "ReadAlias"] + Array(repeating: "SearchItems", count: 6))
    }

    @Test("Markers that can't be read cost a call no more when another program's collection has many of them")
    func unreadableMarkers() async throws {
      try await group.signIn(1...1)
      var counts: [Int] = []
      for (number, count) in [1, 1, 8].enumerated() {
        try await group.plantMarkers(count, in: "\(group.name)-\(number)")
        let store = try await group.openStore()
        let members = try await BusMonitor.members {
          _ = try await store.groups()
          try await store.unlockGroup(AccessGroup(group.name))
        }
        // The markers themselves are read.
        counts.append(members.filter { !["Get", "GetSecrets"].contains($0) }.count)
      }
      #expect(counts[2] - counts[1] <= counts[1] - counts[0])
    }

    @Test("A look-up of an account by its identifier costs 3")
    func find() async throws {
      try await group.signIn(1...5)
      let cache = try group.cache(try await group.openStore())
      let identifier = RoundTripGroup.identifier(account: 3)
      let members = try await BusMonitor.members {
        let account = try await cache.account(identifier: identifier)
        #expect(account?.identifier == identifier)
      }
      #expect(members == ["SearchItems", "SearchItems", "GetSecrets"])
    }

    // MARK: Whole groups

    @Test(
      "An export costs 1 for each further 20 accounts, an import 3 for each new one, a removal 5 for each")
    func wholeGroup() async throws {
      var exports: [Int] = []
      var removals: [Int] = []
      var imports: [Int] = []
      for count in [5, 25] {
        try await group.signIn(1...count)
        let backend = try group.cache(try await group.openStore()).backend
        exports.append(
          try await BusMonitor.members {
            let export = try await CacheTransfer(backend: backend).exportUnified()
            #expect(export.damaged.isEmpty)
          }.count)
        let file = try await CacheTransfer(backend: backend).exportUnified().json
        removals.append(
          try await BusMonitor.members {
            try await AccountDirectory(backend: backend).removeEverything(recordedAs: "test")
          }.count)
        let fresh = try group.cache(try await group.openStore()).backend
        imports.append(
          try await BusMonitor.members {
            let summary = try await CacheTransfer(backend: fresh).importUnified(file)
            #expect(summary.added == count)
          }.count)
      }
      // Includes the client's own record.
      #expect(exports[1] - exports[0] == 1)
      // Two of the five ask whether the item is another program's, and whose its document is.
      #expect(removals[1] - removals[0] <= 5 * 20)
      // At the end, the import looks whether somebody was signed out meanwhile, which costs as much as an export.
      #expect(imports[1] - imports[0] == 3 * 20 + 1)
    }

    @Test("The end of a sign-out costs no call for items of another publisher's group of the name")
    func signOutBesideAnotherPublisher() async throws {
      try await group.signIn(1...1)
      let account = Account(
        identifier: RoundTripGroup.identifier(account: 10), username: "", environment: "login.windows.net")
      var counts: [Int] = []
      for count in [1, 9] {
        try await group.signIn(1...count, publisher: "com.fabrikam")
        let store = try await group.openStore()
        counts.append(
          try await BusMonitor.members {
            try await store.completeSignOut(of: account, in: AccessGroup(group.name))
          }.count)
      }
      #expect(counts[0] == counts[1])
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
