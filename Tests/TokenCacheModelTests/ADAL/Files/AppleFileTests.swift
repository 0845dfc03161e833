// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache
@testable import PropertyLists

@Suite("ADAL files of iOS and macOS")
struct AppleFileTests {
  @Test("An item archived on an Apple device is read with every field")
  func item() throws {
    let file = try ADALFile(parsing: ADALSamples.bytes("adal-objc-item.plist"), as: .objc)
    var expected = ADALToken(
      authority: "https://login.microsoftonline.com/common", resource: nil,
      clientID: "27AD83C9-FC05-4A6C-AF01-36EDA42ED18F")
    expected.accessToken = "<access token>"
    expected.accessTokenType = "Bearer"
    expected.refreshToken = "<refresh token>"
    expected.expiresOn = Date(timeIntervalSinceReferenceDate: 1_000_000)
    expected.userID = "myfakeuser@contoso.com"
    expected.isUserIDDisplayable = true
    expected.uniqueID = "53c6acf2-2742-4538-918d-e78257ec8516"
    expected.tenantID = "6fd1f5cd-a94c-4335-889b-6c598e6d8048"
    expected.givenName = "Fake"
    expected.familyName = "User"
    let token = try #require(file.tokens.first)
    expected.idToken = token.idToken
    #expect(file.tokens == [expected])
    #expect(file.leftOut.isEmpty)
    // The library's own sample holds only the claims, not a token of three parts.
    #expect(token.idToken?.hasPrefix("eyJ0eXAiOiJKV1Qi") == true)
    #expect(token.idToken?.count == 592)
  }

  @Test("A serialized cache of macOS is read, with its items without a user and its tombstones")
  func cache() throws {
    let file = try ADALFile(parsing: ADALSamples.bytes("adal-objc-cache.plist"), as: .objc)
    #expect(file.tokens.map(\.kind) == [.accessToken, .multiResourceRefreshToken, .singleResource])
    #expect(file.leftOut.map(\.reason) == [.tombstone])
    #expect(file.leftOut.map(\.index) == [2])
    var access = ADALToken(
      authority: ADALSamples.tenant, resource: "https://graph.windows.net", clientID: ADALSamples.client)
    access.userID = "Anna@contoso.com"
    access.isUserIDDisplayable = true
    access.uniqueID = "9f4880d8-80ba-4c40-97bc-f7a23c703084"
    access.tenantID = "f645ad92-e38d-4d1a-b510-d1b09a74a8ca"
    access.givenName = "Anna"
    access.familyName = "Berg"
    access.idToken = file.tokens.first?.idToken
    var refresh = access
    refresh.resource = nil
    refresh.familyID = "1"
    refresh.refreshToken = "rt"
    #expect(file.tokens.dropFirst().first == refresh)
    let first = try #require(file.tokens.first)
    #expect(first.accessToken == "at-graph")
    #expect(first.accessTokenType == "Bearer")
    #expect(first.expiresOn == Date(timeIntervalSinceReferenceDate: 477_000_000))
    #expect(first.extendedExpiresOn == first.expiresOn)
    #expect(first.cachedAt == Date(timeIntervalSinceReferenceDate: 476_996_400))
    #expect(first.homeAccountID == TestUser.anna.identifier)
    #expect(first.idToken?.count == 244)
    let last = try #require(file.tokens.last)
    #expect(last.userID == nil && last.authority == "https://adfs.contoso.com/adfs")
  }

  @Test("The user is the one in the ID token, else the one in the cache's key")
  func users() throws {
    let claims: [(JSONObject?, String?, Bool)] = [
      (["upn": "Upn", "email": "e", "sub": "s"], "Upn", true), (["email": "e@x", "sub": "s"], "e@x", true),
      (["sub": "s"], "s", false), ([:], "anna@contoso.com", true), (nil, "anna@contoso.com", true),
    ]
    for (claims, user, isDisplayable) in claims {
      let archive = ArchiveBuilder.cache { archive in
        var members = archive.itemMembers("at")
        if let claims {
          let token = archive.text(JSONValue.object(claims).idToken)
          members["userInformation"] = archive.object("ADUserInformation", ["rawIdToken": token])
        }
        return [
          (archive.object("ADTokenCacheKey", [:]), archive.object("ADTokenCacheStoreItem", members))
        ]
      }
      let token = try #require(try ADALFile(parsing: archive.bytes, as: .objc).tokens.first)
      #expect(token.userID == user)
      #expect(token.isUserIDDisplayable == isDisplayable)
    }
  }

  @Test("For an item that the cache keys without a user, the ID token adds none")
  func nobody() throws {
    let archive = ArchiveBuilder.cache(user: .string("")) { archive in
      var members = archive.itemMembers("at")
      let token = archive.text(JSONValue.object(["upn": "anna@contoso.com", "oid": "oid"]).idToken)
      members["userInformation"] = archive.object("ADUserInformation", ["rawIdToken": token])
      return [(archive.object("ADTokenCacheKey", [:]), archive.object("ADTokenCacheStoreItem", members))]
    }
    let token = try #require(try ADALFile(parsing: archive.bytes, as: .objc).tokens.first)
    #expect(token.userID == nil && token.uniqueID == "oid")
  }

  @Test("Each class that represents a text or a date is accepted")
  func classes() throws {
    let archive = ArchiveBuilder.item { archive, members in
      members["accessToken"] = archive.object("NSMutableString", ["NS.string": .string("mutable")])
      members["authority"] = archive.object("NSString", ["NS.string": .string("https://a/b")])
      members["expiresOn"] = archive.object("NSDate", ["NS.time": .integer(5)])
      members["cachedAt"] = archive.add(.date(Date(timeIntervalSinceReferenceDate: 7)))
      members["resource"] = archive.object("NSNull", [:])
    }
    let token = try #require(try ADALFile(parsing: archive.bytes, as: .objc).tokens.first)
    #expect(token.accessToken == "mutable")
    #expect(token.authority == "https://a/b")
    #expect(token.expiresOn == Date(timeIntervalSinceReferenceDate: 5))
    #expect(token.cachedAt == Date(timeIntervalSinceReferenceDate: 7))
    #expect(token.resource == nil)
  }

  @Test("A date that represents never is nil", arguments: [Date.distantPast, .distantFuture])
  func never(_ date: Date) throws {
    let archive = ArchiveBuilder.item { archive, members in
      let time = PropertyList.real(date.timeIntervalSinceReferenceDate)
      members["expiresOn"] = archive.object("NSDate", ["NS.time": time])
    }
    #expect(try ADALFile(parsing: archive.bytes, as: .objc).tokens.map(\.expiresOn) == [nil])
  }

  @Test("Brokers' tokens and tombstones are omitted without an error")
  func leftOut() throws {
    let cases: [(ArchiveBuilder, ADALLeftOut.Reason)] = [
      (.item("ADBrokerPRTCacheItem"), .primaryRefreshToken),
      (
        .item { archive, members in
          members["clientId"] = .uid(0)
          members["sessionKey"] = archive.add(.data([1, 2, 3]))
        }, .primaryRefreshToken
      ),
      (
        .item { archive, members in members["refreshToken"] = archive.text("<tombstone>") }, .tombstone
      ),
      (
        .item { archive, members in members["tombstone"] = archive.dictionary([]) }, .tombstone
      ),
    ]
    for (archive, reason) in cases {
      let file = try ADALFile(parsing: archive.bytes, as: .objc)
      #expect(file.tokens.isEmpty)
      #expect(file.leftOut.map(\.reason) == [reason])
    }
  }

  @Test("A cache without tokens, or of an earlier version, is read")
  func versions() throws {
    for version in [PropertyList.real(1), .integer(1), .string("1.0"), .real(0.5)] {
      #expect(
        try ADALFile(parsing: ArchiveBuilder.cache(version: version) { _ in [] }.bytes, as: .objc).tokens
          .isEmpty)
    }
  }
}
