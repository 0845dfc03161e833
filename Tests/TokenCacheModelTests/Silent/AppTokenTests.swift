// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import Testing
import TokenCacheContract
import TokenCacheModel

@Suite("Tokens of the client itself")
struct AppTokenTests {
  private static let tenant = "https://login.microsoftonline.com/f645ad92-e38d-4d1a-b510-d1b09a74a8ca"

  private let group = SharedGroup()

  private func app(_ name: String = "mail", authority: String = tenant) throws -> TokenCache {
    try group.app(name, authority: authority)
  }

  private func response(_ number: Int, _ changes: JSONObject = [:]) throws -> TokenResponse {
    let members: JSONObject = [
      "token_type": "Bearer", "expires_in": 3600, "access_token": .string("app-\(number)"),
    ]
    return try TokenResponse(members: members.changed(by: changes))
  }

  @Test("One is found by client, tenant and scopes, by every app of the client, until it expires")
  func found() async throws {
    let scopes: Scopes = ["https://graph.microsoft.com/.default"]
    let saved = try await app().saveAppToken(response(1), scopes: scopes)
    #expect(saved.secret == "app-1" && saved.homeAccountID.isEmpty)
    #expect(try await app("calendar").appToken(scopes: scopes)?.secret == "app-1")
    #expect(try await app().appToken(scopes: ["https://vault.azure.net/.default"]) == nil)
    #expect(
      try await app(authority: "https://login.microsoftonline.com/contoso.com").appToken(scopes: scopes)
        == nil)
    #expect(
      try await group.app("mail", client: "other", authority: Self.tenant).appToken(scopes: scopes) == nil)
    group.clock.advance(by: 3299)
    #expect(try await app().appToken(scopes: scopes)?.secret == "app-1")
    group.clock.advance(by: 1)
    #expect(try await app().appToken(scopes: scopes) == nil)
  }

  @Test("One whose refresh_on has passed is returned, and its replacement replaces it")
  func refreshDue() async throws {
    try await app().saveAppToken(response(1, ["refresh_in": 600]), scopes: ["s/.default"])
    group.clock.advance(by: 700)
    let due = try #require(try await app().appToken(scopes: ["s/.default"]))
    #expect(due.refreshOn == TestClock.start + 600)
    try await app().saveAppToken(response(2), scopes: ["s/.default"])
    try await app().saveAppToken(response(3), scopes: ["t/.default"])
    #expect(try await app().appToken(scopes: ["s/.default"])?.secret == "app-2")
    let records = try await group.backend.records(matching: .client(SharedGroup.suite))
    #expect(try records.flatMap { try $0.document().secrets(.accessToken) } == ["app-2", "app-3"])
  }

  @Test("They are no account, and no user's call returns them")
  func noAccount() async throws {
    try await app().saveAppToken(response(1), scopes: ["mail.read"])
    #expect(try await app().accounts().isEmpty)
    #expect(try await AccountDirectory(backend: group.backend).accounts().isEmpty)
    let account = try await app().signIn(TestUser.anna.response(1))
    let result = try await app().acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == "at-1")
    try await app().signOut(account)
    #expect(try await app().appToken(scopes: ["mail.read"])?.secret == "app-1")
    try await AccountDirectory(backend: group.backend).removeEverything(
      recordedAs: "test", clock: group.clock)
    #expect(try await app().appToken(scopes: ["mail.read"]) == nil)
  }

  @Test("At an OpenID provider one belongs to the issuer")
  func openID() async throws {
    let issuers = ["https://id.contoso.com/a", "https://id.contoso.com/b"]
    try await app(authority: issuers[0]).saveAppToken(response(1), scopes: ["s"])
    #expect(try await app(authority: issuers[0]).appToken(scopes: ["s"])?.secret == "app-1")
    #expect(try await app(authority: issuers[1]).appToken(scopes: ["s"]) == nil)
  }

  @Test(
    "One of each MSAL is imported, found and exported as it was", arguments: [.null, "", nil] as [JSONValue?])
  func imported(account: JSONValue?) async throws {
    var entry: JSONObject = [
      "credential_type": "AccessToken", "secret": "app-1", "environment": "login.microsoftonline.com",
      "client_id": .string(SharedGroup.suite), "target": "s/.default", "token_type": "Bearer",
      "realm": "f645ad92-e38d-4d1a-b510-d1b09a74a8ca", "cached_at": "1700000000",
      "expires_on": "1700003600", "extended_expires_on": "1700003600",
    ]
    entry["home_account_id"] = account
    let cache: JSONObject = ["AccessToken": ["k": .object(entry)]]
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    #expect(try await transfer.importUnified(cache.bytes).added == 1)
    #expect(try await app().appToken(scopes: ["s/.default"])?.secret == "app-1")
    let exported = try CacheDocument(parsing: try await transfer.exportUnified().json).credentials
    #expect(exported.map(\.fields) == [entry])
    var options = ImportOptions()
    options.replaces = true
    _ = try await transfer.importUnified(JSONObject().bytes, options: options)
    #expect(try await app().appToken(scopes: ["s/.default"]) == nil)
    #expect(try await transfer.importUnified(cache.bytes).signedOut == 0)
    #expect(try await app().appToken(scopes: ["s/.default"])?.secret == "app-1")
  }

  @Test("MSAL Python finds a saved one by the null of its account")
  func exported() async throws {
    try await app().saveAppToken(response(1), scopes: ["s/.default"])
    let transfer = CacheTransfer(backend: group.backend, clock: group.clock)
    let token = try #require(
      try CacheDocument(parsing: try await transfer.exportUnified().json).credentials.first)
    #expect(token.fields["home_account_id"] == .null)
    #expect(token.realm == "f645ad92-e38d-4d1a-b510-d1b09a74a8ca")
  }

  @Test("A response or an authority that can't give one is refused, and nothing is stored")
  func refused() async throws {
    let noToken = try response(1, ["access_token": .null, "refresh_token": "rt"])
    await #expect(throws: SecretStoreError(.serverError, "")) {
      try await app().saveAppToken(noToken, scopes: ["s"])
    }
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await app(authority: SharedGroup.azure).saveAppToken(response(1), scopes: ["s"])
    }
    #expect(try await group.stored().isEmpty)
  }

  @Test("A look-up at an authority without a tenant is refused: it could return another tenant's")
  func ambiguous() async throws {
    let service = try app(authority: SharedGroup.azure)
    try await service.saveAppToken(response(1), scopes: ["s"], authority: Authority(Self.tenant))
    await #expect(throws: SecretStoreError(.invalidArgument, "")) {
      try await service.appToken(scopes: ["s"])
    }
    let found = try await service.appToken(scopes: ["s"], authority: Authority(Self.tenant))
    #expect(found?.secret == "app-1")
  }
}
