// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Cache document: writing")
struct CacheDocumentPutTests {
  @Test("A written credential leaves all other sections, entries and members unchanged")
  func othersRemain() throws {
    var document = try CacheDocument(parsing: try Fixtures.bytes("go.json"))
    let before = try Fixtures.object("go.json")
    document.put(try #require(EntryBuilder.credential(.accessToken)))
    let after = try #require(try JSONValue(parsing: document.serialized()).objectValue)
    for name in before.keys where name != "AccessToken" { #expect(after[name] == before[name]) }
    let tokens = try #require(after["AccessToken"]?.objectValue)
    for (key, value) in try #require(before["AccessToken"]?.objectValue) { #expect(tokens[key] == value) }
    #expect(tokens.count == 3)
  }

  @Test("A document that is too large loses no more access tokens than it must, whatever makes them large")
  func room() throws {
    var document = CacheDocument()
    for number in 0..<10 {
      let scopes = JSONValue.string("s\(number) \(String(repeating: "x", count: 99_900))")
      let changes: JSONObject = [
        "target": scopes, "expires_on": .string("\(1_700_000_000 + number)"), "extended_expires_on": .null,
      ]
      document.put(try #require(EntryBuilder.credential(.accessToken, changing: changes)))
    }
    // With its key, each token takes 200 kB.
    document.makeRoom(at: .now)
    let kept = document.credentials.compactMap { $0.fields["expires_on"]?.stringValue }
    #expect(kept.sorted() == (3...9).map { "170000000\($0)" })
  }

  @Test(
    "Room is made by the size that a back end writes, whichever characters need escapes",
    arguments: ["x", "{", "\"", "\\", "\u{8}", "\n", "\u{1}", "\u{1F}", "\u{7F}", "é", "👩‍💻"])
  func escapes(_ character: String) throws {
    var document = CacheDocument()
    for number in 0..<40 {
      let note = JSONValue.string(String(repeating: character, count: 40_000))
      let changes: JSONObject = ["target": .string("s\(number)"), "extended_expires_on": .null, "note": note]
      document.put(try #require(EntryBuilder.credential(.accessToken, changing: changes)))
    }
    // KeePassXC's back end escapes opening braces.
    func written(_ document: CacheDocument) -> Int {
      document.serialized().count + (character == "{" ? document.credentials.count * 5 * 40_000 : 0)
    }
    let size = written(document)
    #expect((size...size + 100).contains(JSONValue.object(document.root).byteCount))
    document.makeRoom(at: .now)
    // The tokens are expired.
    let limit = CacheDocument.roomyBytes
    #expect((min(size, limit - size / 40 - 100)...limit).contains(written(document)))
  }

  @Test("One credential under two keys becomes one and keeps members that only the old entries have")
  func twoKeys() throws {
    var document = EntryBuilder.document(
      .accessToken,
      [
        "a key": .object(EntryBuilder.fields(.accessToken, secret: "old", changing: ["x_one": 1])),
        "another": .object(
          EntryBuilder.fields(
            .accessToken, secret: "older",
            changing: ["environment": "login.microsoftonline.com", "target": "S1 s2", "x_two": [2]])),
        "not the same": .object(EntryBuilder.fields(.accessToken, changing: ["realm": "other"])),
      ])
    document.put(try #require(EntryBuilder.credential(.accessToken, secret: "new")))
    let entries = document[.accessToken]
    #expect(entries.keys == ["not the same", "uid.utid-login.windows.net-accesstoken-client-tenant-s2 s1"])
    let written = try #require(entries[entries.keys[1]]?.objectValue)
    #expect(written["secret"] == "new")
    #expect(written["x_one"] == 1)
    #expect(written["x_two"] == [2])
  }

  @Test("Members that this version writes are not copied from the replaced entry")
  func ownMembers() throws {
    var document = EntryBuilder.document(
      .accessToken,
      ["a": .object(EntryBuilder.fields(.accessToken, changing: ["refresh_on": "5", "ext": ["a": "b"]]))])
    document.put(try #require(EntryBuilder.credential(.accessToken)))
    let written = try #require(document.credentials.first)
    #expect(document.credentials.count == 1)
    #expect(written.refreshOn == nil)
    #expect(written.fields["ext"] == ["a": "b"])
  }

  @Test("A family has one token, whichever client saved it; each client has its own token")
  func familyToken() throws {
    var document = CacheDocument()
    for client in ["a", "b"] {
      document.put(
        try #require(
          EntryBuilder.credential(
            .refreshToken, secret: client, changing: ["client_id": .string(client), "family_id": "1"]))
      )
      document.put(
        try #require(
          EntryBuilder.credential(
            .refreshToken, secret: "own " + client, changing: ["client_id": .string(client)])))
    }
    #expect(document.secrets(.refreshToken) == ["b", "own a", "own b"])
  }

  @Test("An account replaces the same account under any alias and keeps members that only the old entry has")
  func account() throws {
    var document = EntryBuilder.document(
      .account,
      [
        "k": [
          "home_account_id": "uid.utid", "environment": "login.microsoftonline.com", "realm": "tenant",
          "username": "old", "name": "A Person", "x": [1],
        ], "nonsense": 5,
      ])
    var account = AccountEntry(homeAccountID: "uid.utid", environment: "login.windows.net", realm: "tenant")
    account.fields["username"] = "new"
    document.put(account)
    #expect(document[.account].keys == ["nonsense", "uid.utid-login.windows.net-tenant"])
    let written = try #require(document.accounts.first)
    #expect(written.username == "new")
    #expect(written["name"] == "A Person")
    #expect(written.fields["x"] == [1])
  }

  @Test("An account without a user name is written with an empty one, as by MSAL Python")
  func accountWithoutUsername() {
    var document = CacheDocument()
    document.put(AccountEntry(homeAccountID: "sub", environment: "id.contoso.com", realm: ""))
    #expect(document.accounts.first?.fields["username"] == "")
  }

  @Test("A client's metadata are one entry, whatever the case of its key")
  func metadata() throws {
    var document = EntryBuilder.document(
      .appMetadata,
      [
        "AppMetadata-login.windows.net-CLIENT": [
          "client_id": "client", "environment": "login.microsoftonline.com", "x": 1,
        ]
      ])
    document.put(AppMetadataEntry(clientID: "client", environment: "login.windows.net", familyID: "1"))
    #expect(document[.appMetadata].keys == ["appmetadata-login.windows.net-client"])
    #expect(document.appMetadata.first?.familyID == "1")
    #expect(document.appMetadata.first?.fields["x"] == 1)
  }

  @Test("Removing tokens and accounts leaves the app metadata and this library's own section only")
  func removal() throws {
    var document = try CacheDocument(parsing: try Fixtures.bytes("node.json"))
    document[member: "unknownEntity"] = ["a": "b"]
    document.metadata.signOutNumber = 3
    document.removeTokensAndAccounts()
    #expect(!document.hasTokens)
    #expect(document.accounts.isEmpty)
    #expect(document.appMetadata.count == 1)
    #expect(document.metadata.signOutNumber == 3)
    #expect(try CacheDocument(parsing: document.serialized()) == document)
    for name in ["AccessToken", "RefreshToken", "IdToken", "Account", "unknownEntity"] {
      #expect(document[member: name] == nil)
    }
  }

  @Test("Removing credentials skips entries that this version does not know")
  func removalOfSome() throws {
    var document = try CacheDocument(parsing: try Fixtures.bytes("go.json"))
    document.removeCredentials { $0.kind.isAccessToken }
    #expect(document[.accessToken].keys == ["an-entry"])
    #expect(document.secrets(.refreshToken) == ["a refresh token"])
  }
}
