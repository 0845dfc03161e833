// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// The test data that MSAL.NET and MSAL for Apple's systems share: a token response and the entries it becomes.
@Suite("Test data of MSAL.NET")
struct DotNetTestDataTests {
  /// A file of the test data, with an id token made of `id_token_response` in place of `{0}`.
  private struct TestData {
    let members: JSONObject
    let idToken: String
    let entries: TokenEntries

    init(_ name: String) throws {
      members = try Fixtures.object(name)
      idToken = try #require(members["id_token_response"]).idToken
      let response = try #require(members["token_response"]?.objectValue)
      let now = try #require(
        members["at_cache_value"]?.objectValue?["cached_at"]?.textValue.flatMap(Double.init))
      entries = try TokenEntries(
        TokenResponse(members: response.changed(by: ["id_token": .string(idToken)])),
        clientID: try #require(members["client_id"]?.stringValue),
        authority: Authority(try #require(members["authority"]?.stringValue)), requested: [], known: nil,
        now: Date(timeIntervalSince1970: now))
    }

    /// The expected entry, with the id token inserted.
    func value(_ name: String) throws -> JSONObject {
      let value = try #require(members["\(name)_cache_value"]?.objectValue)
      return value["secret"] == "{0}" ? value.changed(by: ["secret": .string(idToken)]) : value
    }

    func key(_ name: String) throws -> String { try #require(members["\(name)_cache_key"]?.stringValue) }
  }

  private static let files = ["dotnet-aad-test-data.txt", "dotnet-b2c-test-data.txt"]

  @Test("The file begins with a byte order mark", arguments: files)
  func byteOrderMark(_ file: String) throws {
    #expect(try Fixtures.bytes(file).starts(with: [0xEF, 0xBB, 0xBF]))
  }

  @Test("The access token has exactly the expected key and members", arguments: files)
  func accessToken(_ file: String) throws {
    let data = try TestData(file)
    let token = try #require(data.entries.accessToken)
    #expect(token.key == (try data.key("at")))
    try expect(token.fields, try data.value("at"))
  }

  @Test("The refresh token has exactly the expected key and members", arguments: files)
  func refreshToken(_ file: String) throws {
    let data = try TestData(file)
    let token = try #require(data.entries.refreshToken)
    #expect(token.key == (try data.key("rt")))
    try expect(token.fields, try data.value("rt"))
  }

  @Test("The ID token has exactly the expected key and members", arguments: files)
  func idToken(_ file: String) throws {
    let data = try TestData(file)
    let token = try #require(data.entries.idToken)
    #expect(token.key == (try data.key("id_token")))
    try expect(token.fields, try data.value("id_token"))
  }

  @Test("The Azure AD account has exactly the expected key and members")
  func azureAccount() throws {
    let data = try TestData(Self.files[0])
    #expect(data.entries.account.key == (try data.key("account")))
    try expect(data.entries.account.fields, try data.value("account"))
  }

  @Test("The B2C account has the expected key and members without an invented user name")
  func b2cAccount() throws {
    let data = try TestData(Self.files[1])
    #expect(data.entries.account.key == (try data.key("account")))
    let expected = try data.value("account")
    #expect(expected["username"] == "Missing from the token response")
    try expect(data.entries.account.fields, expected.changed(by: ["username": .null]))
    var document = CacheDocument()
    data.entries.apply(to: &document)
    #expect(document.accounts.first?.fields["username"] == "")
  }

  @Test("Each entry in a document has the expected key", arguments: files)
  func document(_ file: String) throws {
    let data = try TestData(file)
    var document = CacheDocument()
    data.entries.apply(to: &document)
    #expect(document[.accessToken].keys == [try data.key("at")])
    #expect(document[.refreshToken].keys == [try data.key("rt")])
    #expect(document[.idToken].keys == [try data.key("id_token")])
    #expect(document[.account].keys == [try data.key("account")])
    #expect(document[.appMetadata].count == 1)
  }

  /// Compares member by member, so that a failure names the member: values are redacted.
  private func expect(_ fields: JSONObject, _ expected: JSONObject) throws {
    #expect(fields.keys.sorted() == expected.keys.sorted())
    for name in expected.keys { #expect(fields[name]?.stringValue == expected[name]?.stringValue, "\(name)") }
    #expect(fields == expected)
  }
}
