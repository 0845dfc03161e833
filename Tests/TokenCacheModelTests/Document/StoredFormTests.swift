// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

/// The stored and exported form of accounts of Azure AD, B2C and AD FS, compared with an earlier version's bytes in
/// `Fixtures/stored`.
@Suite("Stored form of Microsoft accounts")
struct StoredFormTests {
  /// A sign-in that the fixture holds.
  struct SignIn: Sendable, CustomTestStringConvertible {
    let authority: String
    let response: JSONObject
    var kind: Authority.Kind?
    var client = SharedGroup.suite
    var app = "mail"
    var testDescription: String { "\(app) at \(authority)" }
  }

  private static let anna = TestUser.anna
  private static let policy = TestUser(
    uid: "\(TestUser.anna.uid)-b2c_1_signin", utid: TestUser.anna.utid, username: "anna@example.com")
  private static let b2c = "tfp/contoso.onmicrosoft.com/B2C_1_signin"

  static let signIns = [
    SignIn(authority: SharedGroup.azure, response: anna.response(1, family: "1")),
    SignIn(authority: SharedGroup.azure, response: TestUser.boris.response(2)),
    SignIn(
      authority: "https://login.microsoftonline.com/f645ad92-e38d-4d1a-b510-d1b09a74a8ca",
      response: anna.response(3), client: SharedGroup.office, app: "office"),
    SignIn(authority: "https://login.microsoftonline.us/organizations", response: anna.response(4)),
    SignIn(authority: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com", response: anna.response(5)),
    SignIn(authority: "https://login.contoso.cloud/common", response: anna.response(6), kind: .aad),
    SignIn(authority: "https://contoso.b2clogin.com/\(b2c)", response: policy.response(7)),
    SignIn(authority: "https://login.microsoftonline.com/\(b2c)", response: policy.response(8)),
    SignIn(authority: "https://adfs.contoso.com/adfs", response: anna.openIDResponse(9)),
    SignIn(authority: "https://adfs.contoso.com:8443/adfs", response: anna.openIDResponse(10)),
  ]

  private let group = SharedGroup()

  private func cache(_ signIn: SignIn) throws -> TokenCache {
    TokenCache(
      backend: group.backend, app: try SharedGroup.id(signIn.app), clientID: signIn.client,
      authority: try Authority(signIn.authority, kind: signIn.kind), options: group.options)
  }

  private func fixture() throws -> JSONObject { try Fixtures.object("../stored/microsoftHosts.json") }

  /// Stores the earlier version's bytes in the group.
  private func storeDocuments() async throws {
    for record in try #require(try fixture()["records"]?.arrayValue) {
      let document = try #require(record.objectValue)
      let key = try #require(CacheDocument(parsing: document.bytes).metadata.record)
      await group.backend.storeRaw(document.bytes, for: key)
    }
  }

  /// The stored records, and an export.
  private func written() async throws -> JSONObject {
    let stored = try await group.stored().map { String(decoding: $0.value, as: UTF8.self) }.sorted()
    let export = try await CacheTransfer(backend: group.backend).exportUnified().json
    return [
      "records": .array(try stored.map { try JSONValue(parsing: Array($0.utf8)) }),
      "exported": sorted(try JSONValue(parsing: export)),
    ]
  }

  /// The sections of a cache except app metadata, with sorted entries.
  ///
  /// Of two accounts of one client with different families, either may decide the app metadata.
  private func sorted(_ export: JSONValue) -> JSONValue {
    var sections: JSONObject = [:]
    for (name, section) in (export.objectValue ?? [:]).sorted(by: { $0.key < $1.key })
    where name != CacheSection.appMetadata.rawValue {
      var entries: JSONObject = [:]
      for (key, entry) in (section.objectValue ?? [:]).sorted(by: { $0.key < $1.key }) {
        entries[key] = entry
      }
      sections[name] = .object(entries)
    }
    return .object(sections)
  }

  @Test("A sign-in is stored and exported byte for byte as before")
  func bytes() async throws {
    for signIn in Self.signIns { try await cache(signIn).signIn(signIn.response) }
    let now = JSONValue.object(try await written()).serialized()
    #expect(String(decoding: now, as: UTF8.self) == String(decoding: try fixture().bytes, as: UTF8.self))
  }

  @Test("A stored document is exported unchanged, and importing it changes nothing")
  func export() async throws {
    try await storeDocuments()
    #expect(try await written()["exported"] == fixture()["exported"])
    let before = try await group.stored()
    let exported = try #require(try fixture()["exported"]?.objectValue)
    let summary = try await CacheTransfer(backend: group.backend).importUnified(exported.bytes)
    #expect(summary.added == 0)
    #expect(try await Set(group.stored().keys) == Set(before.keys))
  }

  @Test("A stored sign-in is listed and has its tokens silently", arguments: signIns)
  func reading(_ signIn: SignIn) async throws {
    try await storeDocuments()
    let cache = try cache(signIn)
    let response = try TokenResponse(members: signIn.response)
    let identifier = response.clientInfo?.homeAccountID ?? response.claims?.subject
    let account = try #require(
      try await cache.accounts().first {
        $0.identifier == identifier && $0.environment == cache.authority.environment
      })
    let result = try await cache.acquireTokenSilent(scopes: ["mail.read"], account: account)
    #expect(result.accessToken == response.accessToken)
  }

  @Test("Signing out of a stored sign-in leaves none of its entries", arguments: signIns)
  func signingOut(_ signIn: SignIn) async throws {
    try await storeDocuments()
    let secret = try TokenResponse(members: signIn.response).accessToken
    let directory = AccountDirectory(backend: group.backend)
    for account in try await directory.accounts() { try await directory.signOut(account) }
    for (_, bytes) in try await group.stored() {
      let document = try CacheDocument(parsing: bytes)
      #expect(!document.hasTokens && !document.credentials.contains { $0.secret == secret })
    }
  }
}
