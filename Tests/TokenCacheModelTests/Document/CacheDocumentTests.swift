// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@Suite("Cache document")
struct CacheDocumentTests {
  @Test(
    "The other languages' documents are read and written back as they were",
    arguments: ["go.json", "node.json", "java-aad/full_cache.json"]
  )
  func roundTrip(_ name: String) throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes(name))
    let written = document.serialized()
    #expect(try JSONValue(parsing: written) == JSONValue(parsing: try Fixtures.bytes(name)))
    #expect(try CacheDocument(parsing: written) == document)
  }

  @Test("MSAL.NET's own sample has a trailing comma and is corruptItem")
  func trailingComma() throws {
    let bytes = try Fixtures.bytes("dotnet.json")
    let error = try #require(throws: SecretStoreError.self) { try CacheDocument(parsing: bytes) }
    #expect(error.code == .corruptItem)
    #expect(error.detail.contains("comma before a closing bracket"))
  }

  @Test("MSAL.NET's sample is read and written back once the comma is gone")
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

  @Test("What can be read of Go's document is read, and an entry of another shape is passed over")
  func goEntries() throws {
    let document = try CacheDocument(parsing: try Fixtures.bytes("go.json"))
    #expect(document.credentials.map(\.secret).prefix(2) == ["an access token", "a refresh token"])
    #expect(document.credentials.map(\.kind) == [.accessToken, .refreshToken, .idToken])
    #expect(document.accounts.map(\.username) == ["John Doe"])
    #expect(document.appMetadata.map(\.familyID) == [""])
    #expect(document.hasTokens)
  }

  @Test("An empty document has nothing and is an empty object")
  func empty() throws {
    let document = CacheDocument()
    #expect(document.serialized() == Array("{}".utf8))
    #expect(!document.hasTokens)
    #expect(document.accounts.isEmpty)
    #expect(document.sharing.revision == 0)
    #expect(document.sharing.record == nil)
    #expect(try CacheDocument(parsing: Array("{}".utf8)) == document)
  }

  @Test(
    "What is no JSON object is corruptItem",
    arguments: [
      "", " ", "\0", "null", "true", "1", "\"{}\"", "[]", "[{}]", "{", "}", "{}{}", "{,}", "{'a':1}", "{a:1}",
      "{\"a\":}", "{\"a\":1,\"a\":2}", "plain text", "<xml/>", "gAAAAABf", "{\"AccessToken\":{",
    ]
  )
  func noObject(_ text: String) {
    #expect(throws: SecretStoreError(.corruptItem, "")) { try CacheDocument(parsing: Array(text.utf8)) }
  }

  @Test(
    "A known section that is no object is corruptItem, and named",
    arguments: ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata", "SecretStoreCache"],
    ["[]", "null", "\"hunter2\"", "1", "true", "[{\"secret\":\"hunter2\"}]"]
  )
  func wrongSection(name: String, value: String) throws {
    let text = "{\"Other\":{},\"\(name)\":\(value)}"
    let error = try #require(throws: SecretStoreError.self) { try CacheDocument(parsing: Array(text.utf8)) }
    #expect(error.code == .corruptItem)
    #expect(error.detail.contains(name))
    #expect(!error.detail.contains("hunter2"))
  }

  @Test(
    "An entry of another shape is no credential, and stays",
    arguments: [
      "null", "1", "\"text\"", "[]", "{}", "{\"secret\":\"s\"}", "{\"foo\":\"bar\"}",
      #"{"secret":"","client_id":"c","environment":"e","home_account_id":"h"}"#,
      #"{"secret":1,"client_id":"c","environment":"e","home_account_id":"h"}"#,
      #"{"secret":"s","client_id":"c","environment":"e"}"#,
      #"{"secret":"s","client_id":"c","environment":"e","home_account_id":null}"#,
      #"{"secret":"s","client_id":"c","environment":"e","home_account_id":"h","credential_type":"New"}"#,
      #"{"secret":"s","client_id":"c","environment":"e","home_account_id":"h","credential_type":"IdToken"}"#,
    ]
  )
  func wrongEntry(_ entry: String) throws {
    let text = "{\"AccessToken\":{\"key\":\(entry)}}"
    let document = try CacheDocument(parsing: Array(text.utf8))
    #expect(document.credentials.isEmpty)
    #expect(!document.hasTokens)
    #expect(document.serialized() == Array(text.utf8))
  }
}
