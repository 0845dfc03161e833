// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import UnifiedCache

@Suite("Cache document")
struct CacheDocumentTests {
  @Test(
    "The other languages' documents are written back as they were read",
    arguments: ["go.json", "node.json", "java-aad/full_cache.json"])
  func roundTrip(_ name: String) throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes(name))
    let written = document.serialized()
    #expect(try JSONValue(parsing: written) == JSONValue(parsing: try Fixtures.bytes(name)))
    #expect(try CacheDocument(parsing: written) == document)
  }

  @Test("MSAL.NET's own sample has a trailing comma and throws corruptItem")
  func trailingComma() throws {
    let bytes = try Fixtures.bytes("dotnet.json")
    let error = try #require(throws: SecretStoreError.self) { try CacheDocument(parsing: bytes) }
    #expect(error.code == .corruptItem)
    #expect(error.detail.contains("comma before a closing bracket"))
  }

  @Test("MSAL.NET's sample without the comma is written back as it was read")
  func withoutTrailingComma() throws {
    let text = try Fixtures.text("dotnet.json")
    let mended = text.replacing(#/,(?=\s*})/#, with: "")
    #expect(mended.utf8.count == text.utf8.count - 1)
    let document = try CacheDocument(parsing: Array(mended.utf8))
    #expect(document.credentials.count == 12)
    #expect(document.accounts.count == 3)
    #expect(document.appMetadata.map(\.familyID) == ["1", "", "another_family"])
    #expect(try JSONValue(parsing: document.serialized()) == JSONValue(parsing: mended.utf8))
  }

  @Test("Go's document is read without its malformed entry")
  func goEntries() throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes("go.json"))
    #expect(document.credentials.map(\.secret).prefix(2) == ["an access token", "a refresh token"])
    #expect(document.credentials.map(\.kind) == [.accessToken, .refreshToken, .idToken])
    #expect(document.accounts.map(\.username) == ["John Doe"])
    #expect(document.appMetadata.map(\.familyID) == [""])
    #expect(document.hasTokens)
  }

  @Test("An empty document has no entries and is an empty object")
  func empty() throws {
    let document = CacheDocument()
    #expect(document.serialized() == Array("{}".utf8))
    #expect(!document.hasTokens)
    #expect(document.accounts.isEmpty)
    #expect(document.metadata.revision == 0)
    #expect(document.metadata.record == nil)
    #expect(try CacheDocument(parsing: Array("{}".utf8)) == document)
  }

  @Test(
    "Bytes that are no JSON object throw corruptItem",
    arguments: [
      "", " ", "\0", "null", "true", "1", "\"{}\"", "[]", "[{}]", "{", "}", "{}{}", "{,}", "{'a':1}", "{a:1}",
      "{\"a\":}", "{\"a\":1,\"a\":2}", "plain text", "<xml/>", "gAAAAABf", "{\"AccessToken\":{",
    ])
  func noObject(_ text: String) {
    #expect(throws: SecretStoreError(.corruptItem, "")) { try CacheDocument(parsing: Array(text.utf8)) }
  }

  @Test(
    "A known section that is no object throws corruptItem with its name",
    arguments: ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata", "SecretStoreCache"],
    ["[]", "null", "\"hunter2\"", "1", "true", "[{\"secret\":\"hunter2\"}]"])
  func wrongSection(name: String, value: String) throws {
    let text = "{\"Other\":{},\"\(name)\":\(value)}"
    let error = try #require(throws: SecretStoreError.self) { try CacheDocument(parsing: Array(text.utf8)) }
    #expect(error.code == .corruptItem)
    #expect(error.detail.contains(name))
    #expect(!error.detail.contains("hunter2"))
  }

  @Test(
    "A malformed entry is no credential and remains",
    arguments: [
      "null", "1", "\"text\"", "[]", "{}", "{\"secret\":\"s\"}", "{\"foo\":\"bar\"}",
      #"{"secret":"","client_id":"c","environment":"e","home_account_id":"h"}"#,
      #"{"secret":1,"client_id":"c","environment":"e","home_account_id":"h"}"#,
      #"{"secret":"s","client_id":"c","environment":"e","home_account_id":1}"#,
      #"{"secret":"s","client_id":"c","environment":"e","home_account_id":"h","credential_type":"New"}"#,
      #"{"secret":"s","client_id":"c","environment":"e","home_account_id":"h","credential_type":"IdToken"}"#,
    ])
  func wrongEntry(_ entry: String) throws {
    let text = "{\"AccessToken\":{\"key\":\(entry)}}"
    let document = try CacheDocument(parsing: Array(text.utf8))
    #expect(document.credentials.isEmpty)
    #expect(!document.hasTokens)
    #expect(document.serialized() == Array(text.utf8))
  }

  @Test(
    "Only an access token may lack the account",
    arguments: ["", #","home_account_id":null"#, #","home_account_id":"""#])
  func noAccount(_ member: String) throws {
    for section in CacheSection.credentials {
      let entry = #"{"secret":"s","client_id":"c","environment":"e"\#(member)}"#
      let document = try CacheDocument(parsing: Array("{\"\(section.rawValue)\":{\"key\":\(entry)}}".utf8))
      #expect(document.credentials.count == (section == .accessToken ? 1 : 0))
    }
  }
}
