// SPDX-License-Identifier: MIT

import FoundationEssentials
import Testing

@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Record key")
struct RecordKeyTests {
  private static let uid = "9f4880d8-80ba-4c40-97bc-f7a23c703084"
  private static let utid = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"

  @Test(
    "uid.utid is stored verbatim in lower case, with a B2C policy after uid",
    arguments: [
      "\(uid).\(utid)", "\(uid).\(utid)".uppercased(), "\(uid)-b2c_1_signin.\(utid)",
      "\(uid)-B2C_1_SignIn.\(utid)", "\(uid)-b2c_1a_sign.up.\(utid)",
    ])
  func azure(_ id: String) {
    #expect(RecordKey.storedAccount(id) == id.lowercased())
  }

  @Test(
    "Any other account ID is stored as its SHA-256 digest",
    arguments: [
      "anna@contoso.com", "", ".", uid, utid, "\(uid).", ".\(utid)", "uid.utid", "\(uid).anna@contoso.com",
      "anna@contoso.com.\(utid)", "\(uid)anna@contoso.com.\(utid)", "\(uid)-b2c_anna@contoso.com.\(utid)",
      "\(uid)-anna.\(utid)", "\(uid).\(utid) ", "\(uid).\(utid)\n", "g\(uid.dropFirst()).\(utid)",
      "00000000-0000-0000-0000-00000000000.\(utid)", "Y6YkBdHNNLHNmTKel9KhRz8wrasxdLRFiP14BRPWrn4",
      "\(String(repeating: "é", count: 18)).\(utid)", "\(String(repeating: "💥", count: 9)).\(utid)",
      "é\(uid.dropFirst(2)).\(utid)", "\(uid.dropLast(2))é.\(utid)",
    ])
  func digested(_ id: String) {
    let stored = RecordKey.storedAccount(id)
    #expect(stored == Digest.hex(id))
    #expect(stored.utf8.count == 64)
    #expect(!stored.contains("anna"))
  }

  @Test("Outside Azure AD an ID is case-sensitive")
  func letterCase() {
    #expect(RecordKey.storedAccount("Anna@contoso.com") != RecordKey.storedAccount("anna@contoso.com"))
  }

  @Test("The environment is canonical; a client ID that is a GUID is in lower case, another is verbatim")
  func parts() {
    let key = RecordKey.credentials(
      homeAccountID: "\(Self.uid).\(Self.utid)", environment: "LOGIN.microsoftonline.com",
      clientID: Self.uid.uppercased())
    #expect(
      key
        == RecordKey(
          kind: .credentials, account: "\(Self.uid).\(Self.utid)", environment: "login.windows.net",
          clientID: Self.uid))
    let client = RecordKey.client("Contoso-Suite", environment: "ID.contoso.com")
    #expect(client == RecordKey(kind: .client, environment: "id.contoso.com", clientID: "Contoso-Suite"))
  }

  @Test("A family's record has no client, and the group's own record has no account")
  func others() {
    let family = RecordKey.family(
      homeAccountID: "\(Self.uid).\(Self.utid)", environment: "sts.windows.net", familyID: "1")
    #expect(
      family
        == RecordKey(
          kind: .family, account: "\(Self.uid).\(Self.utid)", environment: "login.windows.net", familyID: "1")
    )
    #expect(RecordKey.groupData("wipe") == RecordKey(kind: .groupData, key: "wipe"))
  }

  @Test("A query finds the records of its kind with the given values")
  func query() {
    let id = "\(Self.uid).\(Self.utid)"
    let key = RecordKey.credentials(homeAccountID: id, environment: "login.windows.net", clientID: "c")
    let family = RecordKey.family(homeAccountID: id, environment: "login.windows.net", familyID: "1")
    #expect(RecordQuery.all(.credentials).matches(key))
    #expect(!RecordQuery.all(.credentials).matches(family))
    #expect(RecordQuery.all(.credentials, homeAccountID: id.uppercased()).matches(key))
    #expect(!RecordQuery.all(.credentials, homeAccountID: "other").matches(key))
    for (environment, client, expected) in [
      ("login.microsoftonline.com", "c", true), ("login.microsoftonline.us", "c", false),
      ("sts.windows.net", "C", false),
    ] {
      let query = RecordQuery.all(
        .credentials, homeAccountID: id, environment: environment, clientID: client)
      #expect(query.matches(key) == expected)
    }
  }

  @Test("A key survives encoding as JSON", arguments: RecordKind.allCases)
  func coding(kind: RecordKind) throws {
    let key = RecordKey(
      kind: kind, account: "a", environment: "https://id.contoso.com/red", clientID: "c", familyID: "1",
      key: "k\"")
    let data = try JSONEncoder().encode(key)
    #expect(try JSONDecoder().decode(RecordKey.self, from: data) == key)
  }

  @Test("IDs that are canonically equal in Unicode and differ in bytes are two")
  func comparesBytes() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    let keys = [composed, decomposed].map {
      RecordKey.credentials(homeAccountID: "uid.utid", environment: "login.windows.net", clientID: $0)
    }
    #expect(keys[0] != keys[1] && Set(keys).count == 2)
    #expect(RecordQuery.credentials(ofClient: composed).matches(keys[0]))
    #expect(!RecordQuery.credentials(ofClient: composed).matches(keys[1]))
    let metadata = AppMetadataEntry(clientID: composed, environment: "login.windows.net", familyID: nil)
    #expect(metadata.isOf(composed) && !metadata.isOf(decomposed))
    let accounts = [composed, decomposed].map(HomeAccountID.init)
    #expect(accounts[0] != accounts[1] && Set(accounts).count == 2)
    #expect(accounts.map(\.stored) == [composed, decomposed].map(Digest.hex))
    let digest = HomeAccountID(accounts[0].compared)
    #expect(digest != accounts[0] && digest.stored != accounts[0].stored)
  }

  @Test("A sign-out removes only entries of the account and client whose IDs have the same bytes")
  func removesByBytes() throws {
    let names = [
      ("caf\u{e9}", "c"), ("cafe\u{301}", "c"), ("caf\u{e9}", "d\u{e9}"), ("caf\u{e9}", "de\u{301}"),
    ]
    var entries = JSONObject()
    for (account, client) in names {
      entries["\(account)-\(client)"] = [
        "home_account_id": .string(account), "environment": "id.contoso.com", "client_id": .string(client),
      ]
    }
    var document = try CacheDocument(parsing: JSONValue.object(["Other": .object(entries)]).serialized())
    let account = Account(identifier: names[2].0, username: "ada", environment: "id.contoso.com")
    EntryRemoval(of: account, clientID: names[2].1, .shipped).apply(
      to: &document, of: CachePartitioner.leftovers)
    #expect(document.owners.count == 3)
    EntryRemoval(of: account, clientID: nil, .shipped).apply(to: &document, of: CachePartitioner.leftovers)
    #expect(document.owners.map(\.homeAccountID).map(Digest.hex) == [Digest.hex(names[1].0)])
  }
}
