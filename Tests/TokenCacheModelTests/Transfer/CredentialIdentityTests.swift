// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Identity of a credential across key formats")
struct CredentialIdentityTests {
  private let group = SharedGroup()
  private let anna = TestUser.anna

  private func entry(_ kind: CredentialKind, _ secret: String, _ changes: JSONObject) -> JSONValue {
    .object(EntryBuilder.fields(kind, secret: secret, changing: changes))
  }

  private func exported(_ cache: JSONObject) async throws -> CacheDocument {
    let transfer = CacheTransfer(backend: group.backend)
    _ = try await transfer.importUnified(cache.bytes)
    return try CacheDocument(parsing: try await transfer.exportUnified().json)
  }

  @Test("A credential under the keys of five languages becomes one, the newest")
  func one() async throws {
    let at = entry(.accessToken, "at", [:])
    let keys = [
      "uid.utid-login.windows.net-accesstoken-client-tenant-s1 s2",
      "uid.utid-login.windows.net-accesstoken-client-tenant-s2 s1",
      "uid.utid-login.windows.net-accesstoken-client-tenant-s2 s1--",
      "UID.utid-login.microsoftonline.com-AccessToken-client-tenant-s2 s1-", "anything",
    ]
    var section: JSONObject = [:]
    for (number, key) in keys.enumerated() {
      section[key] = entry(.accessToken, "at-\(number)", ["cached_at": .string("170000000\(number)")])
    }
    section["first"] = at
    let document = try await exported(["AccessToken": .object(section)])
    #expect(document.secrets(.accessToken) == ["at-4"])
    // The newest copies are under no MSAL's key, so the key is that of the copy before them.
    #expect(document[.accessToken].keys == ["uid.utid-login.windows.net-accesstoken-client-tenant-s2 s1--"])
  }

  @Test("A family's refresh token under Python's client key and .NET's family key is one")
  func family() async throws {
    let document = try await exported([
      "RefreshToken": [
        "uid.utid-login.microsoftonline.com-refreshtoken-client--s1": entry(
          .refreshToken, "rt-old", ["family_id": "1", "environment": "login.microsoftonline.com"]),
        "uid.utid-login.windows.net-refreshtoken-1--": entry(
          .refreshToken, "rt-new", ["family_id": "1", "last_modification_time": "1700000009"]),
      ]
    ])
    #expect(document.secrets(.refreshToken) == ["rt-new"])
  }

  @Test("Outside Azure AD, accounts whose IDs differ by case are two, in the group and in the export")
  func cases() async throws {
    let mail = try group.app("mail", authority: "https://id.contoso.com")
    for name in ["ada", "Ada"] {
      let person = TestUser(uid: "", utid: "", username: name)
      try await mail.signIn(
        person.openIDResponse().changed(by: ["access_token": .string("at of \(name)")]))
    }
    #expect(try await mail.accounts().map(\.identifier) == ["Ada", "ada"])
    let transfer = CacheTransfer(backend: group.backend)
    let export = try await transfer.exportUnified().json
    let document = try CacheDocument(parsing: export)
    #expect(document.secrets(.accessToken) == ["at of Ada", "at of ada"])
    #expect(document.accounts.map(\.homeAccountID).sorted() == ["Ada", "ada"])
    let other = SharedGroup()
    _ = try await CacheTransfer(backend: other.backend).importUnified(export)
    let again = try await CacheTransfer(backend: other.backend).exportUnified().json
    #expect(try CacheDocument(parsing: again).secrets(.idToken).count == 2)
  }

  @Test("Clients whose IDs differ by case are two, unless they are GUIDs")
  func clients() async throws {
    for (ids, count) in [(["c", "C"], 2), ([SharedGroup.suite, SharedGroup.suite.uppercased()], 1)] {
      let group = SharedGroup()
      var section: JSONObject = [:]
      for (number, id) in ids.enumerated() {
        section["k\(number)"] = entry(.refreshToken, "rt-\(number)", ["client_id": .string(id)])
      }
      let transfer = CacheTransfer(backend: group.backend)
      _ = try await transfer.importUnified(
        JSONObject(dictionaryLiteral: ("RefreshToken", .object(section))).bytes)
      let document = try CacheDocument(parsing: try await transfer.exportUnified().json)
      #expect(document.secrets(.refreshToken).count == count)
    }
  }

  @Test("A family and a client with one name have a refresh token each")
  func familyNamedAsClient() async throws {
    let document = try await exported([
      "RefreshToken": [
        "a": entry(.refreshToken, "rt-1", ["client_id": "c", "family_id": "c"]),
        "b": entry(.refreshToken, "rt-2", ["client_id": "c"]),
      ]
    ])
    #expect(document.secrets(.refreshToken) == ["rt-1", "rt-2"])
  }
}
