// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

/// MSAL Java's test data.
///
/// The data were created without instance discovery and without resolving the tenant: the environment is the
/// requested host, the realm is `common`, and the scopes are in the response's order. All else is compared exactly:
/// keys with those three parts in this library's form, entries without those three members and without the data's
/// placeholders for times.
@Suite("Test data of MSAL Java")
struct JavaTestDataTests {
  private static let tenant = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
  private static let target = "Calendars.Read openid profile Tasks.Read User.Read email"
  private static let sortedTarget = "Calendars.Read email openid profile Tasks.Read User.Read"
  private static let folders = ["java-aad", "java-foci"]
  private static let now = Date(timeIntervalSince1970: 1_538_538_722)

  private func entries(_ folder: String) throws -> TokenEntries {
    let claims = JSONValue.object(try Fixtures.object("\(folder)/token_response_id_token.json"))
    let response = try Fixtures.object("\(folder)/token_response.json")
    return try TokenEntries(
      TokenResponse(members: response.changed(by: ["id_token": .string(claims.idToken)])),
      clientID: "b6c69a37-df96-4db0-9088-2ab96e1d8215",
      authority: Authority("https://login.microsoftonline.com/common"), requested: [], known: nil,
      now: Self.now)
  }

  private func key(_ name: String) throws -> String {
    try Fixtures.text("\(name)_cache_entity_key.txt")
      .trimmingCharacters(in: .whitespacesAndNewlines)
      .replacing("-login.microsoftonline.com-", with: "-login.windows.net-")
      .replacing("-common", with: "-\(Self.tenant)")
      .replacing(Self.target.lowercased(), with: Self.sortedTarget.lowercased())
  }

  private func expect(_ fields: JSONObject, is name: String, except others: [String]) throws {
    var expected = try Fixtures.object("\(name)_cache_entity.json")
    var written = fields
    #expect(expected.keys.sorted() == written.keys.sorted())
    for other in others {
      expected[other] = nil
      written[other] = nil
    }
    #expect(written == expected)
  }

  @Test("The access token has the expected key and members", arguments: folders)
  func accessToken(_ folder: String) throws {
    let token = try #require(try entries(folder).accessToken)
    #expect(token.key == (try key("\(folder)/at")))
    #expect(token.fields["target"]?.stringValue == Self.sortedTarget)
    #expect(token.fields["cached_at"] == "1538538722")
    #expect(token.fields["expires_on"] == "1538542322")
    #expect(token.fields["extended_expires_on"] == "1538801522")
    try expect(
      token.fields, is: "\(folder)/at",
      except: ["environment", "realm", "target", "cached_at", "expires_on", "extended_expires_on"])
  }

  @Test("The refresh token is the family's if the response has foci", arguments: folders)
  func refreshToken(_ folder: String) throws {
    let token = try #require(try entries(folder).refreshToken)
    #expect(token.key == (try key("\(folder)/rt")))
    #expect(token.familyID == (folder == "java-foci" ? "1" : nil))
    try expect(token.fields, is: "\(folder)/rt", except: ["environment"])
  }

  @Test("The ID token has the expected key and members", arguments: folders)
  func idToken(_ folder: String) throws {
    let token = try #require(try entries(folder).idToken)
    #expect(token.key == (try key("\(folder)/id_token")))
    try expect(token.fields, is: "\(folder)/id_token", except: ["environment", "realm", "secret"])
  }

  @Test("The account has the expected key and members", arguments: folders)
  func account(_ folder: String) throws {
    let account = try entries(folder).account
    #expect(account.key == (try key("\(folder)/account")))
    try expect(account.fields, is: "\(folder)/account", except: ["environment", "realm"])
  }

  @Test("The app metadata of a family's client have the expected key and members")
  func metadata() throws {
    let metadata = try entries("java-foci").metadata
    #expect(metadata.key == (try key("java-foci/app_metadata")))
    try expect(metadata.fields, is: "java-foci/app_metadata", except: ["environment"])
  }
}
