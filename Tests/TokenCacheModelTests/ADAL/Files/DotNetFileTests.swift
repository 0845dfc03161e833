// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("ADAL files of .NET")
struct DotNetFileTests {
  /// The keys and values of a stream.
  ///
  /// All texts are longer than 127 bytes and shorter than 16,384.
  private static func entries(_ bytes: [UInt8]) throws -> [(key: [String], value: [String: Any])] {
    var rest = bytes.dropFirst(8)
    func text() -> String {
      let (low, high) = (Int(rest.removeFirst()) & 0x7F, Int(rest.removeFirst()))
      defer { rest = rest.dropFirst(low + high * 128) }
      return String(decoding: rest.prefix(low + high * 128), as: UTF8.self)
    }
    var entries: [(key: [String], value: [String: Any])] = []
    while !rest.isEmpty {
      let key = text().components(separatedBy: ":::")
      let value = try JSONSerialization.jsonObject(with: Data(text().utf8))
      entries.append((key, try #require(value as? [String: Any])))
    }
    return entries
  }

  @Test("The library's own cache of 14 entries is read with every field")
  func fixture() throws {
    let bytes = try ADALSamples.bytes("adal-dotnet-v3.bin")
    let file = try ADALFile(parsing: bytes, as: .dotnet)
    let entries = try Self.entries(bytes)
    #expect(file.tokens.count == 14)
    #expect(entries.count == 14)
    #expect(file.leftOut.isEmpty)
    for (token, entry) in zip(file.tokens, entries) {
      let result = try #require(entry.value["Result"] as? [String: Any])
      let user = try #require(result["UserInfo"] as? [String: Any])
      let expiry = try #require(result["ExpiresOn"] as? [String: Any])
      var expected = ADALToken(authority: entry.key[0], resource: entry.key[1], clientID: entry.key[2])
      expected.accessToken = result["AccessToken"] as? String
      expected.refreshToken = entry.value["RefreshToken"] as? String
      expected.userID = user["DisplayableId"] as? String
      expected.isUserIDDisplayable = true
      expected.uniqueID = user["UniqueId"] as? String
      let milliseconds = (expiry["DateTime"] as? String)?.filter(\.isNumber).dropLast(3)
      expected.expiresOn = Date(timeIntervalSince1970: try #require(milliseconds.flatMap { Double($0) }))
      #expect(entry.key[3] == "0")
      #expect(expected.accessToken?.count == 1024)
      #expect(token == expected)
      #expect(token.kind == .singleResource)
      #expect(token.subject == .user)
    }
  }

  private static let full: JSONValue = [
    "RawClientInfo": .string(TestUser.anna.clientInfo), "RefreshToken": "rt", "ResourceInResponse": "r",
    "Result": [
      "AccessToken": "at", "AccessTokenType": "Bearer", "IdToken": "e30.e30.",
      "ExpiresOn": ["DateTime": "/Date(1455218790065)/", "OffsetMinutes": 60],
      "ExtendedExpiresOn": ["DateTime": "/Date(1455219790000+0100)/", "OffsetMinutes": 60],
      "ExtendedLifeTimeToken": false, "TenantId": "tenant",
      "UserInfo": [
        "DisplayableId": "Anna@contoso.com", "UniqueId": "oid", "GivenName": "Anna", "FamilyName": "Berg",
        "IdentityProvider": "https://sts.windows.net/", "PasswordChangeUrl": .null,
        "PasswordExpiresOn": .null,
      ],
    ], "UserAssertionHash": .null,
  ]

  @Test("A response for several resources becomes an access token and a separate refresh token")
  func multiResource() throws {
    let file = try ADALFile(parsing: ADALSamples.dotnet([ADALSamples.entry(Self.full)]), as: .dotnet)
    var access = ADALToken(authority: ADALSamples.tenant, resource: "r", clientID: ADALSamples.client)
    access.userID = "Anna@contoso.com"
    access.isUserIDDisplayable = true
    access.uniqueID = "oid"
    access.tenantID = "tenant"
    access.givenName = "Anna"
    access.familyName = "Berg"
    access.identityProvider = "https://sts.windows.net/"
    access.idToken = "e30.e30."
    access.homeAccountID = TestUser.anna.identifier
    var refresh = access
    refresh.resource = nil
    refresh.refreshToken = "rt"
    // An hour before the access token expires.
    refresh.cachedAt = Date(timeIntervalSince1970: 1_455_215_190)
    access.accessToken = "at"
    access.accessTokenType = "Bearer"
    access.expiresOn = Date(timeIntervalSince1970: 1_455_218_790)
    access.extendedExpiresOn = Date(timeIntervalSince1970: 1_455_219_790)
    #expect(file.tokens == [access, refresh])
    #expect(file.tokens.map(\.kind) == [.accessToken, .multiResourceRefreshToken])
  }

  @Test("Version 2 has the same fields in one object")
  func versionTwo() throws {
    func value(_ isMultiResource: Bool) -> JSONValue {
      [
        "AccessToken": "at", "AccessTokenType": "Bearer", "RefreshToken": "rt", "Status": 0,
        "ExpiresOn": ["DateTime": "/Date(1455218790065)/", "OffsetMinutes": 0], "TenantId": "tenant",
        "IsMultipleResourceRefreshToken": .bool(isMultiResource), "UserInfo": ["UniqueId": "oid"],
      ]
    }
    let entries = [
      ADALSamples.entry(resource: "a", value(true)), ADALSamples.entry(resource: "b", value(false)),
    ]
    let tokens = try ADALFile(parsing: ADALSamples.dotnet(schema: 2, entries), as: .dotnet).tokens
    #expect(tokens.map(\.kind) == [.accessToken, .multiResourceRefreshToken, .singleResource])
    #expect(tokens.map(\.resource) == ["a", nil, "b"])
    #expect(tokens.map(\.accessToken) == ["at", nil, "at"])
    #expect(tokens.map(\.refreshToken) == [nil, "rt", "rt"])
    // No displayable name.
    #expect(tokens.allSatisfy { $0.userID == "oid" && !$0.isUserIDDisplayable && $0.uniqueID == "oid" })
  }

  @Test("A token of an app or of a service is marked and never counts as a user's")
  func subjects() throws {
    func value(_ token: String) -> JSONValue {
      [
        "Result": [
          "AccessToken": .string(token),
          "UserInfo": ["DisplayableId": "anna@contoso.com", "UniqueId": "oid"],
        ]
      ]
    }
    let entries = ["0", "1", "2"].map { ADALSamples.entry(subject: $0, value("at \($0)")) }
    let tokens = try ADALFile(parsing: ADALSamples.dotnet(entries), as: .dotnet).tokens
    #expect(tokens.map(\.subject) == [.user, .client, .userPlusClient])
    #expect(tokens.map(\.accessToken) == ["at 0", "at 1", "at 2"])
    #expect(tokens.map(\.userID) == ["anna@contoso.com", nil, nil])
    #expect(tokens.map(\.onBehalfOf) == [nil, nil, "anna@contoso.com"])
  }

  @Test(
    "Other serializers' times, and absent ones, are read",
    arguments: [
      ("2016-02-11T19:26:30.065+00:00", 1_455_218_790), ("2016-02-11T20:26:30+01:00", 1_455_218_790),
      ("2016-02-11T19:26:30Z", 1_455_218_790), (["DateTime": "/Date(1455218790065-0800)/"], 1_455_218_790),
      (["DateTime": "/Date(-62135596800000)/", "OffsetMinutes": 0], nil),
      (["DateTime": "/Date(253402300799999)/"], nil), ("0001-01-01T00:00:00+00:00", nil),
      ("9999-12-31T23:59:59.9999999+00:00", nil), (.null, nil), ("", nil), ([:], nil),
    ] as [(JSONValue, Int?)])
  func times(_ time: JSONValue, _ seconds: Int?) throws {
    let entry = ADALSamples.entry(["Result": ["AccessToken": "at", "ExpiresOn": time]])
    let token = try #require(try ADALFile(parsing: ADALSamples.dotnet([entry]), as: .dotnet).tokens.first)
    #expect(token.expiresOn?.timeIntervalSince1970 == seconds.map(Double.init))
  }

  @Test("An empty cache has no tokens", arguments: [2, 3] as [Int32])
  func empty(_ schema: Int32) throws {
    let file = try ADALFile(parsing: ADALSamples.dotnet(schema: schema, []), as: .dotnet)
    #expect(file.tokens.isEmpty && file.leftOut.isEmpty)
  }

  @Test("An entry without a resource is a refresh token for all resources")
  func noResource() throws {
    let entry = ADALSamples.entry(resource: "", ["Result": ["AccessToken": "at"], "RefreshToken": "rt"])
    let tokens = try ADALFile(parsing: ADALSamples.dotnet([entry]), as: .dotnet).tokens
    #expect(tokens.allSatisfy { $0.resource == nil && $0.clientID == ADALSamples.client })
    #expect(!tokens.isEmpty)
  }
}
