// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import ADALCache
@testable import TokenCacheModel
@testable import UnifiedCache

/// Two users with one name and one id: one at the issuer `red`, the other at another issuer or the AD FS of that host.
@Suite("ADAL: issuers on one host")
struct ADALIssuerTests {
  private static let red = "https://id.contoso.com/red"
  private static let name = "ada@contoso.com"

  private let group = SharedGroup()

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend, sharesWithADAL: true) }

  private static func environment(_ issuer: String) -> String {
    issuer.hasSuffix("/adfs") ? "id.contoso.com" : Issuer(issuer)?.text ?? ""
  }

  private static func item(at issuer: String, _ secret: String) -> ADALToken {
    var token = ADALToken(authority: issuer, resource: nil, clientID: SharedGroup.suite)
    token.userID = name
    token.uniqueID = "1001"
    token.homeAccountID = "1001"
    token.refreshToken = secret
    return token
  }

  private func storeBoth(_ other: String) async throws {
    try await group.store(Self.item(at: Self.red, "rt-red"))
    try await group.store(Self.item(at: other, "rt-other"))
  }

  private func secrets() async throws -> [String] {
    try await group.legacyItems().filter { $0.kind != nil }.compactMap(\.refreshToken)
  }

  @Test(
    "They have separate accounts, and signing out of one leaves the other signed in",
    arguments: IssuerTests.others)
  func accounts(_ other: String) async throws {
    try await storeBoth(other)
    let accounts = try await directory.accounts()
    #expect(Set(accounts.map(\.environment)) == [Self.red, Self.environment(other)])
    let ada = try #require(accounts.first { $0.environment == Self.red })
    try await directory.signOut(ada)
    #expect(try await secrets() == ["rt-other"])
    #expect(try await directory.accounts().map(\.environment) == [Self.environment(other)])
    #expect(try await group.adal("old", .ownFormat, authority: Self.red).users().isEmpty)
    #expect(try await group.adal("old", .ownFormat, authority: other).users().map(\.userID) == [Self.name])
  }

  @Test(
    "An ADAL app gets its issuer's token and signs out of its issuer",
    arguments: SilentIssuerTests.others)
  func apps(_ other: String) async throws {
    try await storeBoth(other)
    let (red, others) = (
      try group.adal("old", .ownFormat, authority: Self.red),
      try group.adal("old", .ownFormat, authority: other)
    )
    for (cache, secret) in [(red, "rt-red"), (others, "rt-other")] {
      #expect(try await cache.items().map(\.refreshToken) == [secret])
      await group.endpoint.response(["error": "invalid_grant", "suberror": "consent_required"], status: 400)
      _ = await #expect(throws: SecretStoreError.self) {
        try await cache.acquireTokenSilent(resource: SharedGroup.graph)
      }
      #expect(await group.endpoint.requests.last?.refreshToken == secret)
    }
    try await red.signOut(userID: Self.name)
    #expect(try await red.users().isEmpty)
    #expect(try await secrets() == ["rt-other"])
    #expect(try await others.users().map(\.userID) == [Self.name])
    #expect(await group.endpoint.requests.count == 2)
  }

  @Test(
    "An import omits a signed-out issuer's user, and MSAL reuses the other issuer's user",
    arguments: SilentIssuerTests.others)
  func imports(_ other: String) async throws {
    for isUnified in [false, true] {
      let group = SharedGroup()
      if isUnified {
        let ada = TestUser(uid: "", utid: "", username: Self.name)
        try await group.app("mail", authority: Self.red).signIn(ada.openIDResponse(1, subject: "1001"))
      } else {
        try await group.store(Self.item(at: Self.red, "rt-red"))
      }
      let directory = AccountDirectory(backend: group.backend, sharesWithADAL: true)
      for account in try await directory.accounts() { try await directory.signOut(account) }
      let file = ADALFile(tokens: [Self.item(at: Self.red, "rt-2"), Self.item(at: other, "rt-3")])
      let summary = try await ADALTransfer(backend: group.backend, clock: group.clock).importFile(file)
      #expect(summary.signedOut == 1 && summary.added == 1)
      #expect(try await group.legacyItems().filter { $0.kind != nil }.map(\.refreshToken) == ["rt-3"])
    }
  }

  @Test("Issuers whose paths differ only by case have separate items")
  func cases() async throws {
    let issuers = [Self.red, "https://id.contoso.com/Red", "https://id.contoso.com/RED"]
    for (number, issuer) in issuers.enumerated() {
      try await group.store(Self.item(at: issuer, "rt-\(number)"))
    }
    #expect(try await Set(secrets()) == ["rt-0", "rt-1", "rt-2"])
    #expect(try await Set(directory.accounts().map(\.environment)) == Set(issuers))
    // The other items keep ADAL's key.
    let keys = issuers.map { RecordKey.legacy(Self.item(at: $0, "rt")).account }
    #expect(keys.map { key in issuers.filter { key.contains($0) } }[0].isEmpty)
  }

  @Test(
    "The port is part of the host unless it is the URL's default port",
    arguments: [
      ("https://adfs.contoso.com:8443/adfs", "adfs.contoso.com:8443"),
      ("https://ADFS.contoso.com:443/adfs", "adfs.contoso.com"),
      ("https://login.windows.net:443/common", "login.windows.net"),
    ])
  func ports(authority: String, host: String) {
    let canonical = CloudEnvironment.canonical(host)
    #expect(Self.item(at: authority, "rt").host == canonical)
  }

  @Test("An item with another spelling of the issuer belongs to the same account")
  func spelling() async throws {
    let ada = TestUser(uid: "", utid: "", username: Self.name)
    let account = try await group.app("mail", authority: Self.red).signIn(
      ada.openIDResponse(1, subject: "1001"))
    try await group.store(Self.item(at: "HTTPS://ID.contoso.com:443/%72ed/", "rt-2"))
    #expect(try await directory.accounts() == [account])
    try await directory.signOut(account)
    #expect(try await secrets().isEmpty)
  }

  @Test("Signing out of Azure AD's user leaves an issuer's user of the same name, in both formats")
  func azure() async throws {
    let ada = TestUser(uid: TestUser.anna.uid, utid: TestUser.anna.utid, username: Self.name)
    try await group.app("mail", authority: Self.red).signIn(ada.openIDResponse(1, subject: "1001"))
    try await group.store(Self.item(at: Self.red, "rt-red"))
    let adal = try group.adal("mail")
    try await adal.signIn(ada.adalResponse(2))
    try await adal.signOut(userID: Self.name)
    #expect(try await adal.users().isEmpty)
    #expect(try await secrets() == ["rt-red"])
    #expect(try await directory.accounts().map(\.environment) == [Self.red])
    #expect(try await group.app("mail", authority: Self.red).accounts().count == 1)
  }

  @Test("A change at one issuer is not reported for the other's account", arguments: IssuerTests.others)
  func watching(_ other: String) async throws {
    try await storeBoth(other)
    func tokens() async throws -> [String: String] {
      let records = try await group.backend.records(matching: .all(.legacy))
      let seen = AccountFingerprint.all(
        directory.accounts(among: records, .shipped), in: records, directory.legacySignIns)
      return Dictionary(uniqueKeysWithValues: seen.map { ($0.account.environment, $0.tokens) })
    }
    let before = try await tokens()
    try await group.store(Self.item(at: other, "rt-3"))
    let after = try await tokens()
    #expect(before[Self.red] == after[Self.red])
    #expect(before[Self.environment(other)] != after[Self.environment(other)])
  }

  @Test(
    "A user whose ID or tenant is Azure AD's belongs to the host, whatever the path",
    arguments: ["home", "tenant"])
  func azureIdentifier(_ member: String) throws {
    var token = Self.item(at: "https://login.new.example/contoso.com", "rt")
    token.homeAccountID = member == "home" ? TestUser.anna.identifier : nil
    token.tenantID = member == "tenant" ? TestUser.anna.utid.uppercased() : nil
    #expect(token.environment(.shipped) == "login.new.example")
  }
}
