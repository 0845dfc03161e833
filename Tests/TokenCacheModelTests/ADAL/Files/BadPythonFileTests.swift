// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("Malformed ADAL files of Python")
struct BadPythonFileTests {
  @Test(
    "A file that is no JSON array throws invalidFile, also when invalid items may be skipped",
    arguments: [
      "", " ", "{}", "null", "true", "1", "\"text\"", "[", "[}", "[{}", "[,]", "[{},]", "[] []",
      "{\"AccessToken\":{}}",
      "[{\"a\":1,\"a\":2}]", "[\"\u{1}\"]", "[\"\\ud800\"]", "[01]", "[NaN]", "['a']", "\u{0}",
    ], [true, false])
  func refusesFile(_ text: String, skippingInvalid: Bool) {
    for format in [ADALFileFormat.python, .azureCLI] {
      #expect(throws: SecretStoreError(.invalidFile, "")) {
        try ADALFile(parsing: Array(text.utf8), as: format, skippingInvalid: skippingInvalid)
      }
    }
  }

  @Test("An empty array has no tokens", arguments: ["[]", "\u{FEFF}[]\n"])
  func empty(_ text: String) throws {
    let file = try ADALFile(parsing: Array(text.utf8), as: .python)
    #expect(file.tokens.isEmpty && file.leftOut.isEmpty)
  }

  @Test("An entry that is no object is invalid", arguments: [.null, true, 1, "text", []] as [JSONValue])
  func refusesValue(_ value: JSONValue) throws { try expectInvalid(value) }

  @Test(
    "An entry without a required member is invalid",
    arguments: [
      ["_authority": .null], ["_authority": ""], ["_clientId": .null], ["_clientId": ""],
      ["accessToken": .null, "refreshToken": .null], ["accessToken": "", "refreshToken": ""],
      ["resource": .null],
      ["resource": ""],
    ] as [JSONObject])
  func refusesIncomplete(_ changes: JSONObject) throws {
    // `null` means a missing member and a member that is `null`.
    try expectInvalid(ADALSamples.response(changes))
    var members = ADALSamples.response().objectValue ?? [:]
    for (name, value) in changes { members[name] = value }
    try expectInvalid(.object(members))
  }

  private static let texts = [
    "tokenType", "accessToken", "refreshToken", "createdOn", "expiresOn", "resource", "userId", "tenantId",
    "givenName", "familyName", "identityProvider", "oid", "_clientId", "_authority", "idToken",
    "homeAccountId",
    "familyId", "foci", "extendedExpiresOn",
  ]

  @Test(
    "A text member of another type is invalid", arguments: texts,
    [1, true, [], [:]] as [JSONValue])
  func refusesKind(_ name: String, _ value: JSONValue) throws {
    try expectInvalid(ADALSamples.response([name: value]))
  }

  @Test(
    "A Boolean member of another type is invalid", arguments: ["isMRRT", "isUserIdDisplayable"],
    [1, "true", [], [:]] as [JSONValue])
  func refusesTruth(_ name: String, _ value: JSONValue) throws {
    try expectInvalid(ADALSamples.response([name: value]))
  }

  @Test(
    "A malformed date, one in another calendar or out of range is invalid",
    arguments: [
      "now", "2016-02-11", "1455218790", "2016-02-30 19:26:30", "2016-02-11 25:00:00", "11/02/2016 19:26:30",
      "2016-02-11 19:26:30 PM", "Thu Feb 11 2016 19:26:30 GMT", "2559-02-11 19:26:30", "1437-05-02 19:26:30",
      "0028-02-11 19:26:30", "5776-06-02 19:26:30", "٢٠١٦-٠٢-١١ ١٩:٢٦:٣٠", "1969-12-31 23:59:59",
      "2200-01-01 00:00:00",
      "2016-02-11T19:26:30ZZ", "2016-02-11T19:26:30+25:00", "20160211T192630Z",
    ], ["expiresOn", "createdOn", "extendedExpiresOn"])
  func refusesTime(_ text: String, _ name: String) throws {
    try expectInvalid(ADALSamples.response([name: .string(text)]))
  }

  @Test(
    "An expiry that represents never or nothing is nil",
    arguments: ["0001-01-01 00:00:00", "9999-12-31 23:59:59", "1970-01-01 00:00:00", ""])
  func noTime(_ text: String) throws {
    let file = try ADALSamples.python(ADALSamples.response(["expiresOn": .string(text)]))
    #expect(file.tokens.map(\.expiresOn) == [nil, nil])
  }

  @Test(
    "An invalid lifetime is ignored",
    arguments: [-1, "1.5", "soon", 315_360_001, true, [], .null] as [JSONValue])
  func noLifetime(_ value: JSONValue) throws {
    let file = try ADALSamples.python(ADALSamples.response(["expiresIn": value]))
    #expect(file.tokens.first?.cachedAt == nil)
    #expect(file.tokens.first?.expiresOn?.timeIntervalSince1970 == 1_700_003_600)
  }

  @Test("Members nested beyond the limit are invalid, and those within are stored")
  func depth() throws {
    func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(1) { value, _ in [value] } }
    #expect(try ADALSamples.python(ADALSamples.response(["x": nested(30)])).tokens.count == 2)
    try expectInvalid(ADALSamples.response(["x": nested(31)]))
    try expectInvalid(ADALSamples.response(["x": nested(60)]))
  }

  @Test("Members with an item's own names do not change the item")
  func ownNames() throws {
    let entry = ADALSamples.response([
      "access_token": "x", "client_id": "x", "authority": "x", "subject": "client", "adal-python": "x",
      "user_id": "x", "on_behalf_of": "x",
    ])
    let tokens = try ADALSamples.python(entry).tokens
    #expect(tokens.map(\.accessToken) == ["at", nil])
    #expect(tokens.allSatisfy { $0.clientID == ADALSamples.client && $0.authority == ADALSamples.tenant })
    #expect(
      tokens.allSatisfy { $0.subject == .user && $0.onBehalfOf == nil && $0.userID == "anna@contoso.com" })
  }

  /// Expects that an entry makes the file corrupt, or that the reader skips it and reads the others.
  private func expectInvalid(_ entry: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let first = ADALSamples.response(["accessToken": "first", "resource": "a"])
    let last = ADALSamples.response(["accessToken": "last", "resource": "b"])
    let error = #expect(throws: SecretStoreError(.invalidFile, ""), sourceLocation: sourceLocation) {
      try ADALSamples.python(first, entry, last)
    }
    #expect(error?.detail.contains("index 1") == true, sourceLocation: sourceLocation)
    let file = try ADALSamples.python(first, entry, last, skippingInvalid: true)
    #expect(file.tokens.map(\.accessToken) == ["first", nil, "last"], sourceLocation: sourceLocation)
    #expect(file.leftOut.map(\.index) == [1], sourceLocation: sourceLocation)
    #expect(file.leftOut.map(\.reason) == [.invalid], sourceLocation: sourceLocation)
    #expect(file.leftOut.first?.detail?.isEmpty == false, sourceLocation: sourceLocation)
  }
}
