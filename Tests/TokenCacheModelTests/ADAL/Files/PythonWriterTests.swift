// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

@testable import ADALCache

@Suite("Writing ADAL files of Python")
struct PythonWriterTests {
  private static func entries(_ tokens: [ADALToken]) throws -> [JSONObject] {
    let bytes = try ADALFile(tokens: tokens).serialized(as: .python, timeZone: ADALSamples.utc).bytes
    return try #require(try JSONValue(parsing: bytes).arrayValue).compactMap(\.objectValue)
  }

  private static func token(_ resource: String?, client: String = ADALSamples.client) -> ADALToken {
    var token = ADALToken(authority: ADALSamples.tenant, resource: resource, clientID: client)
    token.userID = "anna@contoso.com"
    return token
  }

  private static func access(_ resource: String?, _ text: String = "at") -> ADALToken {
    var token = token(resource)
    token.accessToken = text
    token.expiresOn = Date(timeIntervalSince1970: 1_455_218_790)
    return token
  }

  private static func refresh(_ text: String = "rt", client: String = ADALSamples.client) -> ADALToken {
    var token = token(nil, client: client)
    token.refreshToken = text
    token.cachedAt = Date(timeIntervalSince1970: 1_455_215_190)
    return token
  }

  @Test("Each response has the refresh token that serves it")
  func joined() throws {
    let entries = try Self.entries([Self.access("a", "at-a"), Self.refresh(), Self.access("b", "at-b")])
    #expect(entries.map { $0["resource"] } == ["a", "b"])
    #expect(entries.map { $0["accessToken"] } == ["at-a", "at-b"])
    #expect(entries.allSatisfy { $0["refreshToken"] == "rt" && $0["isMRRT"] == true })
    #expect(
      entries.first == [
        "accessToken": "at-a", "refreshToken": "rt", "expiresOn": "2016-02-11 19:26:30.000000",
        "userId": "anna@contoso.com", "isUserIdDisplayable": true, "resource": "a", "isMRRT": true,
        "_clientId": .string(ADALSamples.client), "_authority": .string(ADALSamples.tenant),
      ])
  }

  @Test("A refresh token of another user, client or authority does not serve a response")
  func apart() throws {
    var (user, authority) = (Self.refresh("of boris"), Self.refresh("elsewhere"))
    user.userID = "boris@contoso.com"
    authority.authority = "https://login.microsoftonline.com/fabrikam.com"
    let others = [user, authority, Self.refresh("of another client", client: "other")]
    let entries = try Self.entries([Self.access("a")] + others)
    #expect(entries.count == 4)
    #expect(entries.first?["refreshToken"] == nil)
    #expect(entries.first?["isMRRT"] == false)
  }

  @Test("Case does not separate a response from its refresh token")
  func otherCase() throws {
    var refresh = ADALToken(
      authority: ADALSamples.tenant.uppercased(), resource: nil, clientID: ADALSamples.client.uppercased())
    refresh.userID = "ANNA@contoso.com"
    refresh.refreshToken = "rt"
    #expect(try Self.entries([Self.access("a"), refresh]).map { $0["refreshToken"] } == ["rt"])
  }

  @Test("A refresh token without an access token becomes an expired response without a resource")
  func alone() throws {
    let entries = try Self.entries([Self.refresh(), Self.refresh("family", client: "foci-1")])
    for entry in entries {
      #expect(entry["accessToken"] == "" && entry["resource"] == .null && entry["isMRRT"] == true)
      #expect(entry["expiresOn"] == "1970-01-01 00:00:00.000000")
      #expect(entry["createdOn"] == "2016-02-11 18:26:30.000000")
    }
    #expect(entries.map { $0["refreshToken"] } == ["rt", "family"])
  }

  @Test("Tokens for one resource remain unchanged")
  func singleResource() throws {
    var token = Self.access("a")
    token.refreshToken = "rt"
    let entries = try Self.entries([token])
    #expect(entries.map { $0["refreshToken"] } == ["rt"])
    #expect(entries.map { $0["isMRRT"] } == [false])
  }

  @Test("A refresh token's item is written without an access token's members")
  func nothingOfAccess() throws {
    var token = Self.refresh()
    token.accessTokenType = "Bearer"
    token.expiresOn = Date(timeIntervalSince1970: 1_455_218_790)
    let entry = try #require(try Self.entries([token]).first)
    #expect(entry["tokenType"] == nil && entry["expiresOn"] == "1970-01-01 00:00:00.000000")
  }

  @Test("A family ID is written with a refresh token and not with an access token")
  func family() throws {
    var (access, other, refresh) = (Self.access("a"), Self.access("b"), Self.refresh())
    access.familyID = "2"
    other.userID = "boris@contoso.com"
    other.familyID = "2"
    #expect(try Self.entries([access, refresh, other]).map { $0["familyId"] } == [nil, nil])
    refresh.familyID = "1"
    #expect(try Self.entries([access, refresh, other]).map { $0["familyId"] } == ["1", nil])
  }

  @Test("Of two tokens that the library cannot distinguish, the newer is written and the other counted")
  func alike() throws {
    var (user, client) = (Self.access("a", "user's"), Self.access("a", "client's"))
    user.userID = nil
    client.userID = nil
    client.subject = .client
    client.expiresOn = Date(timeIntervalSince1970: 1_455_218_791)
    let file = ADALFile(tokens: [client, user])
    #expect(file.tokens.count == 2)
    let export = try file.serialized(as: .python)
    #expect(export.leftOut == 1)
    #expect(try ADALFile(parsing: export.bytes, as: .python).tokens.map(\.accessToken) == ["client's"])
  }

  @Test(
    "A time that could not be read again is not written",
    arguments: [0, 0.5, 7_258_118_400, 9_999_999_999_999])
  func noTime(_ seconds: Double) throws {
    var token = Self.access("a")
    token.expiresOn = Date(timeIntervalSince1970: seconds)
    token.cachedAt = token.expiresOn
    token.extendedExpiresOn = token.expiresOn
    for format in [ADALFileFormat.python, .objc] {
      let export = try ADALFile(tokens: [token]).serialized(as: format)
      let read = try #require(try ADALFile(parsing: export.bytes, as: format).tokens.first)
      #expect(read.accessToken == "at")
      #expect(read.expiresOn == nil && read.cachedAt == nil && read.extendedExpiresOn == nil)
    }
  }

  @Test("Each response has the members that the library requires")
  func required() throws {
    var own = Self.access("a")
    own.userID = nil
    own.subject = .client
    for entry in try Self.entries([own, Self.access("b"), Self.refresh(), Self.token("c")]) {
      for name in ["resource", "isMRRT", "accessToken", "expiresOn", "_clientId", "_authority"] {
        #expect(entry[name] != nil)
      }
    }
  }

  @Test("Items that the library cannot distinguish are omitted and counted")
  func leftOut() throws {
    var (service, partitioned, empty) = (Self.access("a"), Self.access("b"), Self.token("c"))
    service.subject = .userPlusClient
    partitioned.applicationIdentifier = "com.contoso.mail"
    empty.refreshToken = "<tombstone>"
    // An app needs no refresh token of its own; a reader would treat it as a user's.
    var own = Self.refresh()
    own.userID = nil
    own.subject = .client
    let file = ADALFile(tokens: [service, partitioned, empty, own, Self.access("d")])
    let export = try file.serialized(as: .python)
    #expect(export.leftOut == 4)
    #expect(try JSONValue(parsing: export.bytes).arrayValue?.count == 1)
  }

  @Test("A written file is read back equal and written again identically", arguments: ADALSamples.files)
  func roundTrip(_ file: (name: String, format: ADALFileFormat)) throws {
    let zone = TimeZone(identifier: "America/New_York")
    let first = try ADALFile(parsing: ADALSamples.bytes(file.name), as: file.format, timeZone: zone)
    let written = try first.serialized(as: .python, timeZone: zone)
    let second = try ADALFile(parsing: written.bytes, as: .python, timeZone: zone)
    #expect(written.leftOut == 0 && second.leftOut.isEmpty)
    if file.format == .python || file.format == .azureCLI {
      #expect(second.tokens == first.tokens)
    } else {
      #expect(second.tokens.map(\.accessToken) == first.tokens.map(\.accessToken))
      #expect(second.tokens.map(\.refreshToken) == first.tokens.map(\.refreshToken))
      #expect(second.tokens.map(\.expiresOn) == first.tokens.map(\.expiresOn))
      #expect(second.tokens.map(\.idToken) == first.tokens.map(\.idToken))
    }
    #expect(try second.serialized(as: .python, timeZone: zone).bytes == written.bytes)
  }

  /// Steps of half an hour, from one hour before Berlin's clock change to three hours after it.
  private static let steps = Array(stride(from: 0, to: 14_400, by: 1800))

  @Test("A time on the day when daylight saving time begins is unchanged", arguments: steps)
  func spring(_ step: Int) throws {
    let time = Double(1_679_788_800 + step)
    #expect(try Self.reread(time) == time)
  }

  @Test("A time that occurs twice a year is one of the two and remains it", arguments: steps)
  func autumn(_ step: Int) throws {
    let time = Double(1_698_537_600 + step)
    let read = try Self.reread(time)
    let differences: [Double] = step < 3600 ? [0, 3600] : step < 7200 ? [0, -3600] : [0]
    #expect(differences.contains(read - time))
    #expect(try Self.reread(read) == read)
  }

  /// A time, written and read again in Berlin.
  private static func reread(_ time: Double) throws -> Double {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    var token = access("a")
    token.expiresOn = Date(timeIntervalSince1970: time)
    let bytes = try ADALFile(tokens: [token]).serialized(as: .python, timeZone: zone).bytes
    let read = try ADALFile(parsing: bytes, as: .python, timeZone: zone)
    return try #require(read.tokens.first?.expiresOn?.timeIntervalSince1970)
  }
}
