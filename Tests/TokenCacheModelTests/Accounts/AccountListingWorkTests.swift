// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Work to list many accounts")
struct AccountListingWorkTests {
  /// The libraries and the clients of a user.
  enum Known: String, CaseIterable, Sendable {
    case byADALAlone, byADALWithIdentifier, byBoth, byBothUnderAnotherName, signedOut, byFamily
  }

  private static func person(_ number: Int) -> TestUser {
    let digits = "\(number)"
    let end = String(repeating: "0", count: 12 - digits.count) + digits
    return TestUser(
      uid: "9f4880d8-80ba-4c40-97bc-\(end)", utid: TestUser.anna.utid, username: "user\(number)@contoso.com")
  }

  /// A group with a number of accounts.
  private func group(_ known: Known, _ count: Int) async throws -> SharedGroup {
    let group = SharedGroup()
    let mail = try group.app("mail")
    for number in 0..<count {
      let person = Self.person(number)
      switch known {
      case .byBoth, .byBothUnderAnotherName:
        try await mail.signIn(person.response())
      case .signedOut:
        let account = try await mail.signIn(person.response())
        try await mail.signOutApp(account)
      case .byFamily:
        try await group.app("calendar", client: SharedGroup.office).signIn(person.response(family: "1"))
      case .byADALAlone, .byADALWithIdentifier: break
      }
      if known == .byFamily { continue }
      var token = person.legacyRefreshToken(knowsHome: known == .byADALWithIdentifier)
      if known == .byBothUnderAnotherName {
        token.userID = "other\(number)@contoso.com"
        token.uniqueID = person.uid
      }
      try await group.store(token, for: "mail")
    }
    return group
  }

  @Test("It is linear for an app, for the user and for watchers", arguments: Known.allCases)
  func listing(_ known: Known) async throws {
    try await LinearWork.expect { count in
      let group = try await group(known, count)
      let mail = try group.app("mail")
      let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
      let records = try await group.backend.records(
        matchingAny: [.all(.credentials), .all(.family), .all(.legacy)])
      return try await WorkMeter.measuring {
        let shown = try await mail.accounts()
        #expect(shown.count == (known == .signedOut ? 0 : count))
        let all = try await directory.accounts()
        #expect(all.count == count)
        #expect(AccountFingerprint.all(all, in: records, ADALSharing(isReading: true)).count == count)
        #expect(Set(all).count == count)
      }
    }
  }

  @Test("It is linear for accounts with one user name")
  func sameName() async throws {
    try await LinearWork.expect { count in
      let group = SharedGroup()
      for number in 0..<count {
        var token = Self.person(number).legacyRefreshToken(
          authority: "https://adfs\(number).contoso.com/adfs")
        token.userID = "admin"
        try await group.store(token)
      }
      let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
      return try await WorkMeter.measuring {
        let accounts = try await directory.accounts()
        #expect(accounts.count == count)
        #expect(Set(accounts).count == count)
      }
    }
  }

  @Test("It is linear for external accounts", arguments: [false, true])
  func external(hasIdentifiers: Bool) async throws {
    let accounts = { (count: Int, offset: Int) in
      (0..<count).map { number in
        Account(
          identifier: hasIdentifiers ? Self.person(number + offset).identifier : "",
          username: "user\(number + offset)", environment: "login.microsoftonline.com")
      }
    }
    try await LinearWork.expect { count in
      let external = ExternalAccounts(providers: [FixedProvider(kept: accounts(count, 0))])
      return await WorkMeter.measuring {
        let merged = await external.merged(with: accounts(count, count / 2))
        #expect(merged.count == count + count / 2)
        #expect(Set(merged).count == merged.count)
      }
    }
  }

  private struct FixedProvider: ExternalAccountProvider {
    let kept: [Account]
    func accounts() -> [Account] { kept }
    func update(_ account: Account, claims: IDTokenClaims?) {}
    func remove(_ account: Account) {}
  }

  @Test("It is linear for learned clouds")
  func clouds() async throws {
    try await LinearWork.expect { count in
      let clouds = (0..<count).map { number in
        InstanceDiscovery.Cloud(
          preferredNetwork: "login\(number).example", preferredCache: "cache\(number).example",
          aliases: ["login\(number).example", "old\(number).example"])
      }
      return await WorkMeter.measuring {
        var aliases = EnvironmentAliases.shipped
        for _ in 0..<2 { aliases.learn(InstanceDiscovery(clouds: clouds)) }
        #expect(aliases.learned.count == count)
        #expect(aliases.areSame("old7.example", "login7.example"))
        #expect(aliases.hosts(of: "old7.example").count == 3)
      }
    }
  }

  @Test("It is linear for a client's account metadata, and for many clients'", arguments: [false, true])
  func metadata(ofManyClients: Bool) async throws {
    try await LinearWork.expect { count in
      let group = SharedGroup()
      let view = KeychainView(backend: group.backend, app: try SharedGroup.id("mail"))
      var metadata = KeychainAccountMetadata(clientID: SharedGroup.suite)
      for number in 0..<count {
        let identifier = Self.person(number).identifier
        if ofManyClients {
          var one = KeychainAccountMetadata(clientID: "client-\(number)")
          one[identifier] = KeychainAccountState()
          try await view.save(one)
        }
        metadata.update([identifier.uppercased()]) { _, _ in KeychainAccountState() }
      }
      return try await WorkMeter.measuring {
        if !ofManyClients { try await view.save(metadata) }
        let found = try await view.accountMetadata(matching: .accountMetadata())
        #expect(found.count == (ofManyClients ? count : 1))
        #expect(found.map(\.homeAccountIDs.count).reduce(0, +) == count)
      }
    }
  }
}
