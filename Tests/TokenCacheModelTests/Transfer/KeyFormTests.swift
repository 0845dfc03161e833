// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheContract

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// An MSAL replaces and removes its entries by their keys, so it must get them back under the keys that it wrote.
@Suite("Transfer: forms of keys")
struct KeyFormTests {
  private let group = SharedGroup()

  private func take(_ cache: JSONObject) async throws {
    _ = try await CacheTransfer(backend: group.backend).importUnified(cache.bytes)
  }

  private func export() async throws -> CacheDocument {
    try CacheDocument(parsing: try await CacheTransfer(backend: group.backend).exportUnified().json)
  }

  private static let account = "uid.utid-login.microsoftonline.com"

  private static func fields(_ kind: CredentialKind, _ changes: JSONObject) -> JSONObject {
    let common: JSONObject = ["environment": "login.microsoftonline.com", "target": "s1 s2"]
    return EntryBuilder.fields(kind, changing: common.changed(by: changes))
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let kind: CredentialKind
    var changes: JSONObject = [:]
    let key: String

    var testDescription: String { key }
  }

  private static let rows = [
    // MSAL Python has no scheme, no key ID and no family in its keys.
    Row(
      kind: .accessToken, changes: ["token_type": "pop"], key: "\(account)-accesstoken-client-tenant-s1 s2"),
    Row(
      kind: .accessToken, changes: ["token_type": "ssh-cert", "key_id": "k1"],
      key: "\(account)-accesstoken-client-tenant-s1 s2"),
    Row(
      kind: .accessToken, changes: ["token_type": "Bearer", "ext_cache_key": "digest"],
      key: "\(account)-atext-client-tenant-s1 s2-digest"),
    Row(kind: .refreshToken, key: "\(account)-refreshtoken-client--s1 s2"),
    Row(kind: .refreshToken, changes: ["family_id": "1"], key: "\(account)-refreshtoken-client--s1 s2"),
    // MSAL.NET and MSAL Java.
    Row(
      kind: .accessTokenWithAuthScheme, changes: ["token_type": "pop"],
      key: "\(account)-accesstoken_with_authscheme-client-tenant-s1 s2-pop"),
    Row(kind: .refreshToken, changes: ["family_id": "1"], key: "\(account)-refreshtoken-1--"),
    // MSAL Node.
    Row(kind: .accessToken, key: "\(account)-accesstoken-client-tenant-s1 s2--"),
    Row(kind: .refreshToken, key: "\(account)-refreshtoken-client----"),
    Row(kind: .idToken, key: "\(account)-idtoken-client-tenant---"),
    // MSAL Go.
    Row(kind: .refreshToken, key: "\(account)-refreshtoken-client"),
    Row(kind: .idToken, key: "\(account)-idtoken-client-tenant"),
  ]

  @Test("A credential is exported under the key that it was imported with", arguments: rows)
  func credential(_ row: Row) async throws {
    try await take([
      row.kind.section.rawValue: [row.key: .object(Self.fields(row.kind, row.changes))]
    ])
    #expect(try await export()[row.kind.section].keys == [row.key])
    let stored = try await group.stored()
    try await take([
      row.kind.section.rawValue: [row.key: .object(Self.fields(row.kind, row.changes))]
    ])
    #expect(try await group.stored() == stored)
  }

  @Test("A newer credential from the same MSAL replaces the older one under its key", arguments: rows)
  func newer(_ row: Row) async throws {
    for time in ["1700000000", "1700000060"] {
      let name = row.kind.section == .refreshToken ? "last_modification_time" : "cached_at"
      let changes = row.changes.changed(by: [name: .string(time), "secret": .string(time)])
      try await take([row.kind.section.rawValue: [row.key: .object(Self.fields(row.kind, changes))]])
    }
    let exported = try await export()
    #expect(exported[row.kind.section].keys == [row.key])
    if row.kind.section != .idToken { #expect(exported.credentials.map(\.secret) == ["1700000060"]) }
  }

  @Test("A refresh token that is also there under a wrong key keeps the key with its scopes")
  func wrongKey() async throws {
    let key = "\(Self.account)-refreshtoken-client--s1 s2"
    try await take([
      "RefreshToken": [
        "wrong-key": .object(Self.fields(.refreshToken, ["secret": "old"])),
        key: .object(Self.fields(.refreshToken, ["secret": "new"])),
      ]
    ])
    #expect(try await export()[.refreshToken].keys == [key])
    #expect(try await export().credentials.map(\.secret) == ["new"])
  }

  @Test("App metadata keeps the case of its key", arguments: ["AppMetadata", "appmetadata"])
  func appMetadata(_ word: String) async throws {
    let key = "\(word)-login.microsoftonline.com-My_Client"
    let metadata: JSONObject = ["client_id": "My_Client", "environment": "login.microsoftonline.com"]
    try await take(["AppMetadata": [key: .object(metadata)]])
    #expect(try await export()[.appMetadata].keys == [key])
  }

  @Test("Entries that are kept under an issuer are exported with the issuer's host in the key")
  func issuer() async throws {
    let token: JSONObject = Self.fields(
      .accessToken,
      [
        "environment": "id.contoso.com", "home_account_id": "ada", "token_type": "pop",
        "issuer": "https://id.contoso.com/red",
      ])
    let key = "ada-id.contoso.com-accesstoken-client-tenant-s1 s2"
    try await take(["AccessToken": [key: .object(token)]])
    #expect(try await export()[.accessToken].keys == [key])
  }

  @Test("A refresh here leaves MSAL Python's token of another type under Python's key")
  func refresh() throws {
    var entries: JSONObject = [:]
    let changes: JSONObject = ["token_type": "pop", "key_id": "k1"]
    let key = "\(Self.account)-accesstoken-client-tenant-s1 s2"
    entries[key] = .object(Self.fields(.accessToken, changes))
    var document = EntryBuilder.document(.accessToken, entries)
    let fields = Self.fields(.accessToken, changes.changed(by: ["secret": "new"]))
    document.put(try #require(CredentialEntry(.object(fields), section: .accessToken)))
    #expect(document[.accessToken].keys == [key])
    #expect(document.credentials.map(\.secret) == ["new"])
  }

  @Test(
    "A key that is no MSAL's is not kept",
    arguments: [
      "wrong-key", "", "uid.utid-other.example-refreshtoken-client--", "uid.utid", "\u{0}",
      "\(account)-a\u{7}", "\(account)-" + String(repeating: "x", count: 5000),
    ])
  func unknown(_ key: String) async throws {
    try await take(["RefreshToken": [key: .object(Self.fields(.refreshToken, [:]))]])
    #expect(try await export()[.refreshToken].keys == ["\(Self.account)-refreshtoken-client--"])
  }
}
