// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Peers identify an OpenID provider by its host.
///
/// Only the ID tokens of their caches name the issuer.
@Suite("Import: issuers")
struct ImportIssuerTests {
  private static let red = "https://id.contoso.com/red"
  private static let host = "id.contoso.com"

  private let group = SharedGroup()
  private let ada = TestUser(uid: "", utid: "", username: "ada@contoso.com")

  private var directory: AccountDirectory { AccountDirectory(backend: group.backend) }
  private func app(_ authority: String = red) throws -> TokenCache {
    try group.app("mail", authority: authority)
  }

  private static func fields(
    _ kind: CredentialKind, _ secret: String, _ changes: JSONObject = [:]
  ) -> JSONObject {
    let common: JSONObject = [
      "home_account_id": "1001", "environment": .string(host), "client_id": .string(SharedGroup.suite),
      "realm": kind == .refreshToken ? .null : "red", "target": kind == .idToken ? .null : "mail.read",
    ]
    return EntryBuilder.fields(kind, secret: secret, changing: common.changed(by: changes))
  }

  private static func idToken(_ issuer: String?, _ changes: JSONObject = [:]) -> JSONObject {
    var claims: JSONObject = ["sub": "1001", "preferred_username": "ada@contoso.com"]
    if let issuer { claims["iss"] = .string(issuer) }
    return fields(.idToken, JSONValue.object(claims).idToken, changes)
  }

  /// MSAL Python's entries of a sign-in.
  ///
  /// The refresh token names neither issuer nor realm.
  private static func cache(idTokens: [JSONObject], others changes: JSONObject = [:]) -> JSONObject {
    let account: JSONObject = [
      "home_account_id": "1001", "environment": .string(host), "realm": "red", "username": "ada@contoso.com",
      "authority_type": "MSSTS",
    ]
    var sections: JSONObject = [
      "AccessToken": ["a": .object(fields(.accessToken, "at-1", changes))],
      "RefreshToken": ["r": .object(fields(.refreshToken, "rt-1", changes.changed(by: ["realm": .null])))],
      "Account": ["c": .object(account.changed(by: changes))],
      "AppMetadata": ["m": ["client_id": .string(SharedGroup.suite), "environment": .string(host)]],
    ]
    var entries: JSONObject = [:]
    for (number, token) in idTokens.enumerated() { entries["i\(number)"] = .object(token) }
    sections["IdToken"] = .object(entries)
    return sections
  }

  @discardableResult
  private func take(_ cache: JSONObject, into group: SharedGroup? = nil) async throws -> ImportSummary {
    try await CacheTransfer(backend: (group ?? self.group).backend).importUnified(cache.bytes)
  }

  private func export() async throws -> CacheDocument {
    try CacheDocument(parsing: try await CacheTransfer(backend: group.backend).exportUnified().json)
  }

  private func environments(_ kind: RecordKind = .credentials) async throws -> Set<String> {
    Set(try await group.backend.records(matching: .all(kind)).map(\.key.environment))
  }

  @Test("An identifier of Azure AD's form is an issuer's where the ID token says so")
  func azureADForm() async throws {
    let subject = TestUser.anna.identifier
    let named: JSONObject = ["home_account_id": .string(subject)]
    let claims: JSONObject = ["iss": .string(Self.red), "sub": .string(subject)]
    let token = Self.fields(.idToken, JSONValue.object(claims).idToken, named)
    try await take(Self.cache(idTokens: [token], others: named))
    #expect(try await environments() == [Self.red])
    let account = try #require(try await directory.accounts().first)
    #expect(account.homeTenant == nil && account.environment == Self.red)
    let own = try #require(try await app().account(identifier: subject))
    #expect(own.claims?.subject == subject)
    #expect(try await app().acquireTokenSilent(scopes: ["mail.read"], account: own).accessToken == "at-1")
  }

  @Test(
    "An identifier of Azure AD's form is Azure AD's at a tenant's issuer, and where no ID token names one")
  func azureADAtPrivateHosts() async throws {
    let named: JSONObject = ["home_account_id": .string(TestUser.anna.identifier)]
    for path in [nil, "\(Self.host)/\(TestUser.anna.utid)/v2.0", "sts.contoso.com/\(TestUser.anna.utid)/"] {
      let group = SharedGroup()
      var claims: JSONObject = ["sub": "s"]
      claims["iss"] = path.map { "https://\($0)" }.map(JSONValue.string)
      let token = Self.fields(.idToken, JSONValue.object(claims).idToken, named)
      try await take(Self.cache(idTokens: [token], others: named), into: group)
      let stored = try await group.backend.records(matching: .all(.credentials))
      #expect(stored.map(\.key.environment) == [Self.host])
    }
  }

  @Test(
    "An ID token names the issuer of its account's and client's entries, in any spelling",
    arguments: [red, red + "/", "https://ID.Contoso.com:443/%72ed"])
  func ambiguousRefreshToken(_ issuer: String) async throws {
    try await take(Self.cache(idTokens: [Self.idToken(issuer)]))
    #expect(try await environments() == [Self.red])
    let account = try #require(try await app().account())
    #expect(account.username == "ada@contoso.com")
    #expect(try await app().acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
    await group.endpoint.response(ada.openIDResponse(2, subject: "1001"))
    _ = try await app().acquireTokenSilent(scopes: ["mail.read"], account: account, forceRefresh: true)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
  }

  @Test(
    "An account of the type AD FS is at the issuer that an ID token names, and at its host without one",
    arguments: [[idToken(red)], []])
  func typeOfADFS(idTokens: [JSONObject]) async throws {
    var cache = Self.cache(idTokens: idTokens, others: ["realm": .null])
    var account = try #require(cache["Account"]?.objectValue?["c"]?.objectValue)
    account["authority_type"] = "ADFS"
    cache["Account"] = ["c": .object(account)]
    try await take(cache)
    let isOpenID = !idTokens.isEmpty
    #expect(try await environments() == [isOpenID ? Self.red : Self.host])
    let app = try app(isOpenID ? Self.red : "https://id.contoso.com/adfs")
    await group.endpoint.response(ada.openIDResponse(2, subject: "1001"))
    let found = try #require(try await app.account())
    #expect(found.username == "ada@contoso.com")
    _ = try await app.acquireTokenSilent(scopes: ["mail.read"], account: found, forceRefresh: true)
    #expect(await group.endpoint.requests.map(\.refreshToken) == ["rt-1"])
    #expect(try await directory.accounts().map(\.username) == ["ada@contoso.com"])
  }

  @Test(
    "A port that the peer omits, and the scheme's default that it names, is the issuer's",
    arguments: [
      ("https://id.contoso.com:8443/red", host), ("https://id.contoso.com:8443/red", "\(host):8443"),
      (red, "\(host):443"), ("https://id.contoso.com:443/red", "ID.Contoso.com:443"),
    ])
  func port(_ issuer: String, _ host: String) async throws {
    let environment: JSONObject = ["environment": .string(host)]
    try await take(Self.cache(idTokens: [Self.idToken(issuer, environment)], others: environment))
    #expect(try await environments() == [try #require(Issuer(issuer)).text])
    #expect(Set(try await export().credentials.map(\.environment)) == [Self.host])
    let account = try #require(try await directory.accounts(named: "1001").first)
    try await directory.signOut(account)
    #expect(try await self.export().credentials.isEmpty)
  }

  /// Id tokens that do not identify one issuer of the host.
  static let silent: [[JSONObject]] = [
    [], [idToken(nil)], [idToken("https://id.fabrikam.com/red")], [idToken("no URL")],
    [idToken("http://id.contoso.com/red")],
    [idToken(red, ["home_account_id": "1002"])], [idToken(red, ["client_id": .string(SharedGroup.office)])],
    [idToken(red, ["realm": "a"]), idToken("https://id.contoso.com/blue", ["realm": "b"])],
    [idToken(red, ["secret": "no token"])],
  ]

  @Test(
    "Entries without a known issuer belong to no authority: they are listed, removed and exported",
    arguments: silent)
  func unknown(_ idTokens: [JSONObject]) async throws {
    try await take(Self.cache(idTokens: idTokens))
    await group.endpoint.response(ada.openIDResponse(2, subject: "1001"))
    let unknown = try #require(
      try await directory.accounts(named: "1001").first { $0.environment == "id.contoso.com/*" })
    for authority in [
      Self.red, "https://id.contoso.com/blue", "https://id.contoso.com", "https://id.contoso.com/adfs",
    ] {
      let cache = try app(authority)
      #expect(
        try await !cache.accounts().contains {
          $0.identifier == "1001" && $0.environment == unknown.environment
        })
      for isForced in [false, true] {
        await #expect(throws: SecretStoreError(.interactionRequired, "")) {
          try await cache.acquireTokenSilent(scopes: ["mail.read"], account: unknown, forceRefresh: isForced)
        }
      }
    }
    #expect(await group.endpoint.requests.isEmpty)
    let export = try await export()
    #expect(export.secrets(.refreshToken) == ["rt-1"])
    #expect(!export.credentials.contains { $0.environment.contains("*") })
    try await directory.signOut(unknown)
    #expect(try await directory.accounts().allSatisfy { $0.environment != unknown.environment })
    #expect(try await self.export().secrets(.refreshToken).isEmpty)
  }

  @Test("A refresh token is returned to neither of two issuers of its client")
  func two() async throws {
    let blue = "https://id.contoso.com/blue"
    try await take(
      Self.cache(idTokens: [
        Self.idToken(Self.red), Self.idToken(blue, ["realm": "blue", "secret": .string(blueToken)]),
      ]))
    #expect(try await environments() == [Self.red, blue, "id.contoso.com/*"])
    for record in try await group.backend.records(matching: .all(.credentials)) {
      let tokens = try record.document().secrets(.refreshToken)
      #expect(tokens == (record.key.environment == "id.contoso.com/*" ? ["rt-1"] : []))
    }
    // The access token has the realm of one of the id tokens.
    let account = try #require(try await app().account(identifier: "1001"))
    #expect(try await app().acquireTokenSilent(scopes: ["mail.read"], account: account).accessToken == "at-1")
  }

  private var blueToken: String {
    JSONValue.object(["sub": "1001", "iss": "https://id.contoso.com/blue"]).idToken
  }

  @Test(
    "Entries of AD FS and B2C stay under their host",
    arguments: [
      ["realm": "adfs"], ["realm": "ADFS"],
      ["home_account_id": .string("\(TestUser.anna.uid)-b2c_1_x.\(TestUser.anna.utid)")],
    ] as [JSONObject])
  func microsoftHosts(changes: JSONObject) async throws {
    try await take(
      Self.cache(idTokens: [Self.idToken("https://id.contoso.com/adfs", changes)], others: changes))
    #expect(try await environments() == [Self.host])
  }

  @Test(
    "At a host of Microsoft's there are no issuers, whatever the ID",
    arguments: ["login.windows.net", "x.b2clogin.com"])
  func microsoftHost(_ host: String) async throws {
    try await take(Self.cache(idTokens: [], others: ["environment": .string(host)]))
    #expect(try await environments() == [host])
  }

  @Test("An issuer that an entry names is valid at its own host only")
  func forged() async throws {
    try await take(Self.cache(idTokens: [], others: ["issuer": "https://id.fabrikam.com/red"]))
    #expect(try await environments() == ["id.contoso.com/*"])
    let other = SharedGroup()
    try await take(Self.cache(idTokens: [], others: ["issuer": "https://id.contoso.com/red/"]), into: other)
    #expect(
      try await other.backend.records(matching: .all(.credentials)).map(\.key.environment) == [Self.red])
  }
}
