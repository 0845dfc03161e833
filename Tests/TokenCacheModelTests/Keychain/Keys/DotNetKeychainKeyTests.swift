// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing
import TokenCacheContract

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// The keychain keys in MSAL.NET's test data, from token response to key.
@Suite("Keychain keys of MSAL.NET")
struct DotNetKeychainKeyTests {
  private struct TestData {
    let members: JSONObject
    let entries: TokenEntries

    init(_ name: String) throws {
      members = try Fixtures.object(name)
      let idToken = try #require(members["id_token_response"]).idToken
      let response = try #require(members["token_response"]?.objectValue)
      entries = try TokenEntries(
        TokenResponse(members: response.changed(by: ["id_token": .string(idToken)])),
        clientID: try #require(members["client_id"]?.stringValue),
        authority: Authority(try #require(members["authority"]?.stringValue)), requested: [], known: nil,
        now: TestClock.start)
    }

    func expected(_ name: String, type: Int) throws -> KeychainAttributes {
      func text(_ attribute: String) throws -> String {
        try #require(members["\(name)_cache_key_ios_\(attribute)"]?.stringValue)
      }
      return KeychainAttributes(try text("account"), try text("service"), try text("generic"), type)
    }
  }

  private static let files = ["dotnet-aad-test-data.txt", "dotnet-b2c-test-data.txt"]

  @Test("Credentials have exactly the expected attributes", arguments: files)
  func credentials(_ file: String) throws {
    let data = try TestData(file)
    for (entry, name, type) in [
      (data.entries.accessToken, "at", 2001), (data.entries.refreshToken, "rt", 2002),
      (data.entries.idToken, "id_token", 2003),
    ] {
      let key = KeychainItemKey(of: try #require(entry))
      #expect(try KeychainAttributes(key) == data.expected(name, type: type))
    }
  }

  @Test(
    "Accounts have the expected attributes, with the user name in lower case and never invented",
    arguments: files)
  func accounts(_ file: String) throws {
    let data = try TestData(file)
    let key = KeychainItemKey(of: data.entries.account)
    let expected = try data.expected("account", type: 1003)
    #expect(key.account == expected.account)
    #expect(key.service == expected.service)
    #expect(key.type == expected.type)
    let isAzure = file == Self.files[0]
    #expect(key.generic == (isAzure ? expected.generic?.lowercased() : nil))
    #expect((expected.generic == "missing from the token response") == !isAzure)
  }
}
