// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("ADAL files of Python, Node and Azure CLI")
struct PythonFileTests {
  private static let newYork = TimeZone(identifier: "America/New_York")

  @Test("A cache that ADAL for Python wrote is read")
  func python() throws {
    let file = try ADALFile(
      parsing: ADALSamples.bytes("adal-python.json"), as: .python, timeZone: Self.newYork)
    let home = "https://login.microsoftonline.com/f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
    let guest = "https://login.microsoftonline.com/3338040d-6c67-4c5b-b112-36a304b66dad"
    #expect(file.leftOut.isEmpty)
    #expect(
      file.tokens.map(\.kind) == [
        .accessToken, .multiResourceRefreshToken, .accessToken, .accessToken, .multiResourceRefreshToken,
        .accessToken,
      ])
    #expect(file.tokens.map(\.authority) == [home, home, home, guest, guest, home])
    let (graph, management) = ("https://graph.windows.net", "https://management.azure.com/")
    #expect(
      file.tokens.map(\.resource) == [graph, nil, management, graph, nil, "https://vault.azure.net"])
    let (ada, grace) = ("ada@contoso.com", "grace@contoso.com")
    #expect(file.tokens.map(\.userID) == [ada, ada, ada, grace, grace, nil])
    #expect(file.tokens.map(\.subject) == [.user, .user, .user, .user, .user, .client])
    #expect(file.tokens.compactMap(\.refreshToken).count == 2)
  }

  @Test("Each member of a response is stored in the item's field")
  func members() throws {
    let entry = ADALSamples.response([
      "createdOn": "2023-11-14 22:13:25.5", "oid": "oid", "tenantId": "tenant", "givenName": "Anna",
      "familyName": "Berg", "identityProvider": "idp", "_unknown": ["kept": [1, .null]],
    ])
    var access = ADALToken(authority: ADALSamples.tenant, resource: "r", clientID: ADALSamples.client)
    access.userID = "anna@contoso.com"
    access.isUserIDDisplayable = true
    access.uniqueID = "oid"
    access.tenantID = "tenant"
    access.givenName = "Anna"
    access.familyName = "Berg"
    access.identityProvider = "idp"
    access.cachedAt = Date(timeIntervalSince1970: 1_700_000_005)
    var refresh = access
    refresh.resource = nil
    refresh.refreshToken = "rt"
    access.accessToken = "at"
    access.accessTokenType = "Bearer"
    access.expiresOn = Date(timeIntervalSince1970: 1_700_003_600)
    let tokens = try ADALSamples.python(entry).tokens
    #expect(tokens.count == 2)
    #expect(tokens.last == refresh)
    // Members without a place in an ADAL item are kept beside it.
    #expect(tokens.first != access)
    let written = try JSONValue(parsing: ADALFile(tokens: tokens).serialized(as: .python).bytes)
    #expect(written.arrayValue?.first?.objectValue?["_unknown"] == ["kept": [1, .null]])
    #expect(written.arrayValue?.first?.objectValue?["expiresIn"] == 3600)
  }

  @Test(
    "Times are in the given zone unless they name one",
    arguments: [
      ("2016-02-11 19:26:30.065000", 0, 1_455_218_790), ("2016-02-11 19:26:30", 3600, 1_455_215_190),
      ("2016-02-11 19:26:30", -18_000, 1_455_236_790), ("2016-02-11T19:26:30.065Z", -18_000, 1_455_218_790),
      ("2016-02-11T19:26:30+05:30", 3600, 1_455_198_990), ("2016-02-11T19:26:30", 3600, 1_455_215_190),
    ])
  func zones(_ text: String, _ offset: Int, _ seconds: Int) throws {
    let entry = ADALSamples.response(["expiresOn": .string(text)])
    let file = try ADALFile(
      parsing: JSONValue.array([entry]).serialized(), as: .python, timeZone: TimeZone(secondsFromGMT: offset))
    #expect(file.tokens.first?.expiresOn == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test(
    "Daylight saving time applies where the zone has it",
    arguments: [("2023-07-01 12:00:00", 1_688_227_200), ("2023-12-01 12:00:00", 1_701_450_000)])
  func summer(_ text: String, _ seconds: Int) throws {
    let entry = JSONValue.array([ADALSamples.response(["expiresOn": .string(text)])])
    let file = try ADALFile(parsing: entry.serialized(), as: .python, timeZone: Self.newYork)
    #expect(file.tokens.first?.expiresOn == Date(timeIntervalSince1970: Double(seconds)))
  }

  @Test("Without a zone, times are in the process's own zone, as in Python")
  func ownZone() throws {
    let entry = JSONValue.array([ADALSamples.response(["expiresOn": "2023-07-01 12:00:00"])])
    let file = try ADALFile(parsing: entry.serialized(), as: .python)
    let local = try #require(
      try ADALFile(parsing: entry.serialized(), as: .python, timeZone: .current).tokens.first)
    #expect(file.tokens.first?.expiresOn == local.expiresOn)
  }

  @Test("A cache of ADAL for Node is read; the newer of two copies of a refresh token counts")
  func node() throws {
    let file = try ADALFile(parsing: ADALSamples.bytes("adal-node.json"), as: .python)
    #expect(
      file.tokens.map(\.kind) == [.accessToken, .multiResourceRefreshToken, .accessToken, .singleResource])
    #expect(file.tokens.map(\.accessToken) == ["at-graph", nil, "at-management", "at-adfs"])
    #expect(file.tokens.map(\.refreshToken) == [nil, "rt-new", nil, "rt-adfs"])
    #expect(
      file.tokens.map { $0.cachedAt?.timeIntervalSince1970 } == [
        1_455_215_191, 1_455_218_400, 1_455_218_400, 1_455_215_190,
      ])
    #expect(
      file.tokens.map(\.expiresOn?.timeIntervalSince1970) == [
        1_455_218_790, nil, 1_455_222_390, 1_455_218_790,
      ])
    #expect(file.tokens.last?.userID == nil)
    #expect(file.tokens.last?.subject == .user)
  }

  @Test("Azure CLI's service principals are omitted and counted, and the tenant comes from the authority")
  func azureCLI() throws {
    let bytes = try ADALSamples.bytes("azure-cli.json")
    let file = try ADALFile(parsing: bytes, as: .azureCLI, timeZone: ADALSamples.utc)
    #expect(file.leftOut.map(\.index) == [0, 2])
    #expect(file.leftOut.allSatisfy { $0.reason == .servicePrincipal && $0.detail == nil })
    #expect(file.tokens.map(\.accessToken) == ["at-cli", nil, "at-common", nil])
    #expect(file.tokens.map(\.refreshToken) == [nil, "rt-cli", nil, "rt-common"])
    let tenant = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
    #expect(file.tokens.map(\.tenantID) == [tenant, tenant, nil, nil])
    #expect(file.tokens.allSatisfy { $0.userID == "anna@contoso.com" && $0.isUserIDDisplayable })
    #expect(file.tokens.first?.expiresOn == Date(timeIntervalSince1970: 1_625_130_942))
    let python = try ADALFile(parsing: bytes, as: .python, timeZone: ADALSamples.utc)
    #expect(python.tokens.allSatisfy { $0.tenantID == nil })
    // The secret of a service principal is in no item.
    let written = try file.serialized(as: .python).bytes
    #expect(!String(decoding: written, as: UTF8.self).contains("client secret"))
  }

  @Test("A service principal is omitted from ADAL for Python's cache, too")
  func servicePrincipal() throws {
    let entry: JSONValue = [
      "servicePrincipalId": "a", "accessToken": "secret", "_clientId": "c", "_authority": "a",
    ]
    let file = try ADALSamples.python(entry, ADALSamples.response())
    #expect(file.leftOut.map(\.reason) == [.servicePrincipal])
    #expect(file.tokens.map(\.accessToken) == ["at", nil])
  }

  @Test("A tombstone is skipped and counted")
  func tombstone() throws {
    let file = try ADALSamples.python(
      ADALSamples.response(), ADALSamples.response(["refreshToken": "<tombstone>", "resource": "b"]))
    #expect(file.leftOut.map(\.reason) == [.tombstone])
    #expect(file.leftOut.map(\.index) == [1])
    #expect(file.tokens.map(\.resource) == ["r", nil])
  }

  @Test("A user ID without the displayable flag is displayable if it is an address")
  func displayable() throws {
    for (id, says, expected) in [
      ("anna@contoso.com", .null, true), ("opaque", .null, false), ("anna@contoso.com", false, false),
      ("opaque", true, true),
    ] as [(String, JSONValue, Bool)] {
      let entry = ADALSamples.response(["userId": .string(id), "isUserIdDisplayable": says])
      #expect(try ADALSamples.python(entry).tokens.map(\.isUserIDDisplayable) == [expected, expected])
    }
  }

  @Test("A token without a user belongs to the app at Azure AD, and to any user at AD FS")
  func noUser() throws {
    let cases: [(JSONObject, TokenSubjectType)] = [
      (["refreshToken": .null], .client), ([:], .user),
      (["refreshToken": .null, "_authority": "https://adfs.contoso.com/ADFS"], .user),
    ]
    for (changes, subject) in cases {
      var members = changes
      members["userId"] = .null
      let entry = ADALSamples.response(members)
      let tokens = try ADALSamples.python(entry).tokens
      #expect(tokens.allSatisfy { $0.subject == subject && $0.userID == nil })
    }
  }

  @Test("A response with foci becomes a family's item; the newer of two counts")
  func family() throws {
    let member = ADALSamples.response(["foci": "1"])
    let made = try ADALSamples.python(member).tokens
    #expect(made.map(\.kind) == [.accessToken, .multiResourceRefreshToken, .familyRefreshToken])
    #expect(made.map(\.clientID) == [ADALSamples.client, ADALSamples.client, "foci-1"])
    #expect(made.map(\.familyID) == [nil, "1", "1"])
    #expect(made.map(\.refreshToken) == [nil, "rt", "rt"])
    for (time, refreshToken) in [("2023-11-14 20:00:00", "rt"), ("2023-11-14 23:00:00", "family")] {
      let family = ADALSamples.response([
        "_clientId": "foci-1", "refreshToken": "family", "accessToken": "", "resource": .null,
        "createdOn": .string(time),
      ])
      #expect(try ADALSamples.python(member, family).tokens.map(\.refreshToken) == [nil, "rt", refreshToken])
    }
    let access = try ADALSamples.python(ADALSamples.response(["foci": "1", "refreshToken": ""])).tokens
    #expect(access.map(\.familyID) == [nil])
    let known = try ADALSamples.python(ADALSamples.response(["familyId": "1"])).tokens
    #expect(known.map(\.familyID) == [nil, "1"])
  }

  @Test(
    "The tenant is the end of the authority's path, and none at AD FS or under a name for any tenant",
    arguments: [
      ("https://login.windows.net/contoso.com", "contoso.com"), ("https://login.windows.net/a/b/", "b"),
      ("https://login.windows.net/Common", nil), ("https://fs.contoso.com/ADFS", nil),
      ("https://fs.contoso.com/adfs/ls", nil), ("https://login.windows.net", nil),
      ("contoso.com/common", nil),
    ] as [(String, String?)])
  func tenant(authority: String, tenant: String?) {
    #expect(ADALAuthority(authority).tenant == tenant)
  }
}
