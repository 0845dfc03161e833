// SPDX-License-Identifier: MIT

import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// Keys in the forms of MSAL for Python, .NET, Java, Go and Node.
@Suite("Credential keys")
struct CredentialKeyTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let kind: CredentialKind
    let changes: JSONObject
    /// The keys of one credential in each language.
    let keys: [String]
    /// The key under which this library writes it: the form of MSAL.NET and MSAL Java.
    let written: String

    var testDescription: String { written }
  }

  private static let account = "uid.utid-login.windows.net"

  private static let rows = [
    Row(
      kind: .accessToken, changes: [:],
      keys: [
        "\(account)-accesstoken-client-tenant-s1 s2", "\(account)-accesstoken-client-tenant-s2 s1",
        "\(account)-accesstoken-client-tenant-s2 s1-", "\(account)-accesstoken-client-tenant-s2 s1--",
      ], written: "\(account)-accesstoken-client-tenant-s2 s1"),
    Row(
      kind: .accessToken, changes: ["token_type": "Bearer"], keys: ["any"],
      written: "\(account)-accesstoken-client-tenant-s2 s1"),
    Row(
      kind: .accessTokenWithAuthScheme, changes: ["token_type": "pop"],
      keys: [
        "\(account)-accesstoken_with_authscheme-client-tenant-s2 s1-pop",
        "\(account)-accesstoken_with_authscheme-client-tenant-s2 s1--pop",
      ], written: "\(account)-accesstoken_with_authscheme-client-tenant-s2 s1-pop"),
    Row(
      kind: .refreshToken, changes: [:],
      keys: [
        "\(account)-refreshtoken-client--s2 s1", "\(account)-refreshtoken-client--",
        "\(account)-refreshtoken-client", "\(account)-refreshtoken-client----",
      ], written: "\(account)-refreshtoken-client--"),
    Row(
      kind: .refreshToken, changes: ["family_id": "1"],
      keys: [
        "\(account)-refreshtoken-client--s2 s1", "\(account)-refreshtoken-1--", "\(account)-refreshtoken-1",
        "\(account)-refreshtoken-1----",
      ], written: "\(account)-refreshtoken-1--"),
    Row(
      kind: .idToken, changes: [:],
      keys: [
        "\(account)-idtoken-client-tenant-", "\(account)-idtoken-client-tenant",
        "\(account)-idtoken-client-tenant---",
      ], written: "\(account)-idtoken-client-tenant-"),
    Row(
      kind: .idToken, changes: ["client_id": "CLIENT", "realm": "TENANT"], keys: ["any"],
      written: "\(account)-idtoken-client-tenant-"),
  ]

  @Test(
    "A credential under any language's key is read and becomes one under this library's key", arguments: rows)
  func keys(_ row: Row) throws {
    var entries: JSONObject = [:]
    for (number, key) in row.keys.enumerated() {
      entries[key] = .object(
        EntryBuilder.fields(
          row.kind, secret: "\(number)", changing: row.changes.changed(by: ["from": .string(key)]))
      )
    }
    var document = EntryBuilder.document(row.kind.section, entries)
    #expect(document.credentials.count == row.keys.count)
    #expect(Set(document.credentials.map(\.identity)).count == 1)
    document.put(try #require(EntryBuilder.credential(row.kind, secret: "new", changing: row.changes)))
    #expect(document[row.kind.section].keys == [row.written])
    #expect(document.secrets(row.kind) == ["new"])
  }

  @Test("The credentials of Go's and Node's documents have keys in MSAL.NET's form")
  func fixtures() throws {
    let go = try CacheDocument(parsing: try Fixtures.bytes("go.json")).credentials
    #expect(
      go.map(\.key) == [
        "uid.utid-login.windows.net-accesstoken-my_client_id-contoso-s2 s1 s3",
        "uid.utid-login.windows.net-refreshtoken-my_client_id--",
        "uid.utid-login.windows.net-idtoken-my_client_id-contoso-",
      ])
    let node = try CacheDocument(parsing: try Fixtures.bytes("node.json")).credentials
    let account = "uid.utid-login.microsoftonline.com"
    let plain = node.filter { $0.kind != .accessTokenWithAuthScheme }
    #expect(
      plain.map(\.key) == [
        "\(account)-accesstoken-mock_client_id-microsoft-scope1 scope2 scope3",
        "\(account)-accesstoken-mock_client_id-microsoft-scope4 scope5",
        "\(account)-refreshtoken-mock_client_id--", "\(account)-refreshtoken-1--",
        "\(account)-idtoken-mock_client_id-microsoft-",
      ])
  }

  @Test("Node's key-bound token has a scheme and a separate part in its key")
  func boundToken() throws {
    let node = try CacheDocument(parsing: try Fixtures.bytes("node.json")).credentials
    let bound = try #require(node.first { $0.kind == .accessTokenWithAuthScheme })
    #expect(bound.tokenType == "pop")
    #expect(bound.key.contains("-atext-mock_client_id-microsoft-scope4 scope5-pop-"))
    #expect(Set(node.map(\.identity)).count == node.count)
  }

  @Test("A token for claims has a stable key that peers ignore")
  func claims() throws {
    let claims: JSONObject = ["requested_claims": #"{"access_token":{}}"#]
    let token = try #require(EntryBuilder.credential(.accessToken, changing: claims))
    #expect(token.key.hasPrefix("\(Self.account)-atext-client-tenant-s2 s1-"))
    #expect(token.key.split(separator: "-").last?.count == 16)
    #expect(token.key == EntryBuilder.credential(.accessToken, secret: "other", changing: claims)?.key)
    let others = EntryBuilder.credential(.accessToken, changing: ["requested_claims": "{}"])
    #expect(token.key != others?.key)
  }

  @Test("Keys of accounts and app metadata are in lower case")
  func otherKeys() {
    let account = AccountEntry(homeAccountID: "UID.utid", environment: "login.windows.net", realm: "Tenant")
    #expect(account.key == "uid.utid-login.windows.net-tenant")
    let metadata = AppMetadataEntry(clientID: "Client", environment: "login.windows.net", familyID: nil)
    #expect(metadata.key == "appmetadata-login.windows.net-client")
  }
}
