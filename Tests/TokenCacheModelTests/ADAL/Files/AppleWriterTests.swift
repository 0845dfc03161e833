// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import StrictJSON
import Testing
import TokenCacheModel

@testable import ADALCache
@testable import PropertyLists

@Suite("Writing ADAL files of macOS")
struct AppleWriterTests {
  /// The objects of an archive, to inspect its structure.
  private struct Written {
    let objects: [PropertyList]
    let root: PropertyList?

    init(_ tokens: [ADALToken]) throws {
      let bytes = try ADALFile(tokens: tokens).serialized(as: .objc).bytes
      let list = try #require(try PropertyList(parsing: bytes).dictionaryValue)
      objects = try #require(list["$objects"]?.arrayValue)
      root = list["$top"]?.dictionaryValue?["root"]
      #expect(list["$archiver"] == .string("NSKeyedArchiver"))
      #expect(list["$version"] == .integer(100_000))
    }

    subscript(_ reference: PropertyList?) -> PropertyList? {
      guard case .uid(let uid)? = reference, uid > 0 else { return nil }
      return objects[Int(uid)]
    }

    func named(_ reference: PropertyList?) -> String? {
      self[self[reference]?.dictionaryValue?["$class"]]?.dictionaryValue?["$classname"]?.stringValue
    }

    func pairs(_ reference: PropertyList?) -> [(key: PropertyList, value: PropertyList)] {
      let members = self[reference]?.dictionaryValue ?? [:]
      return Array(zip(members["NS.keys"]?.arrayValue ?? [], members["NS.objects"]?.arrayValue ?? []))
    }

    func value(_ name: String, of reference: PropertyList?) -> PropertyList? {
      pairs(reference).first { self[$0.key] == .string(name) }?.value
    }

    func member(_ name: String, of reference: PropertyList?) -> PropertyList? {
      self[self[reference]?.dictionaryValue?[name]]
    }
  }

  private static func access(_ user: String?, resource: String? = "https://R") -> ADALToken {
    var token = ADALToken(
      authority: "https://Login.microsoftonline.com/Contoso.com", resource: resource, clientID: "Client")
    token.userID = user
    token.accessToken = "at"
    token.expiresOn = Date(timeIntervalSinceReferenceDate: 477_000_000)
    return token
  }

  @Test("The classes are those that the library requires, and users have their names of macOS")
  func shape() throws {
    let written = try Written([Self.access("Anna@Contoso.com"), Self.access(nil), Self.access("boris")])
    #expect(written.named(written.root) == "NSDictionary")
    #expect(written[written.value("version", of: written.root)] == .real(1))
    let cache = written.value("tokenCache", of: written.root)
    let tokens = written.value("tokens", of: cache)
    #expect([cache, tokens].map(written.named) == ["NSMutableDictionary", "NSMutableDictionary"])
    #expect(
      written.pairs(tokens).map { written[$0.key]?.stringValue } == ["anna@contoso.com", "", "boris"])
    for (_, user) in written.pairs(tokens) {
      #expect(written.named(user) == "NSMutableDictionary")
      #expect(written.pairs(user).map { written.named($0.key) } == ["ADTokenCacheKey"])
      #expect(written.pairs(user).map { written.named($0.value) } == ["ADTokenCacheStoreItem"])
    }
    for object in written.objects {
      guard let members = object.dictionaryValue, let name = members["$classname"] else { continue }
      #expect(members["$classes"]?.arrayValue?.first == name)
      #expect(members["$classes"]?.arrayValue?.last == .string("NSObject"))
    }
  }

  @Test(
    "A key names the item without its user, in lower case, and the service as in a keychain",
    arguments: [
      (
        "https://login.microsoftonline.com/common", "resource", "client",
        "MSOpenTech.ADAL.1|aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUuY29tL2NvbW1vbg|cmVzb3VyY2U|Y2xpZW50"
      ),
      (
        "https://Login.microsoftonline.com/COMMON", nil, "Client",
        "MSOpenTech.ADAL.1|aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUuY29tL2NvbW1vbg"
          + "|CC3513A0-0E69-4B4D-97FC-DFB6C91EE132|Y2xpZW50"
      ),
      ("a>", "b?~", "ÿ", "MSOpenTech.ADAL.1|YT4|Yj9-|w78"),
      ("a", " ", "c", "MSOpenTech.ADAL.1|YQ|CC3513A0-0E69-4B4D-97FC-DFB6C91EE132|Yw"),
    ] as [(String, String?, String, String)])
  func key(_ authority: String, _ resource: String?, _ client: String, _ service: String) throws {
    var token = ADALToken(authority: authority, resource: resource, clientID: client)
    token.userID = "anna@contoso.com"
    token.accessToken = "at"
    let written = try Written([token])
    let tokens = written.value("tokens", of: written.value("tokenCache", of: written.root))
    let items = written.pairs(written.pairs(tokens).first?.value)
    let pair = try #require(items.first)
    #expect(written.member("service", of: pair.key) == .string(service))
    #expect(written.member("authority", of: pair.key) == .string(authority.lowercased()))
    let trimmed = resource?.trimmingCharacters(in: .whitespaces).lowercased()
    #expect(written.member("resource", of: pair.key) == trimmed.map(PropertyList.string))
    #expect(written.member("clientId", of: pair.key) == .string(client.lowercased()))
    #expect(written.member("account", of: pair.key) == nil)
    #expect(written.member("userId", of: pair.key) == nil)
    #expect(written.member("authority", of: pair.value) == .string(authority))
  }

  @Test("The service has an app's own partition")
  func partition() throws {
    var token = Self.access("anna")
    token.applicationIdentifier = "com.contoso.Mail"
    let written = try Written([token])
    let services = written.objects.compactMap(\.stringValue).filter { $0.hasPrefix("MSOpenTech") }
    #expect(services.map { $0.prefix { $0 != "|" } } == ["MSOpenTech.ADAL.1-Y29tLmNvbnRvc28uTWFpbA"])
  }

  @Test("An item with an ID token and without a user ID keeps the ID token")
  func idTokenOnly() throws {
    var token = Self.access(nil)
    token.idToken = JSONValue.object(["sub": "somebody"]).idToken
    let export = try ADALFile(tokens: [token]).serialized(as: .objc)
    #expect(try ADALFile(parsing: export.bytes, as: .objc).tokens.map(\.idToken) == [token.idToken])
  }

  @Test("An item has its user, whose claims are written only where the ID token lacks them")
  func claims() throws {
    func members(_ token: ADALToken) throws -> [String] {
      let users = try Written([token]).objects.compactMap(\.dictionaryValue).filter { $0["userId"] != nil }
      return users.flatMap(\.keys).filter { ["userId", "allClaims"].contains($0) }.sorted()
    }
    var token = Self.access("anna")
    #expect(try members(token) == ["userId"])
    (token.uniqueID, token.tenantID, token.givenName) = ("o", "t", "Anna")
    #expect(try members(token) == ["allClaims", "userId"])
    token.idToken = JSONValue.object(["oid": "o", "tid": "t", "given_name": "Anna"]).idToken
    #expect(try members(token) == ["userId"])
    token.familyName = "A."
    #expect(try members(token) == ["allClaims", "userId"])
  }

  @Test("Items without a user are omitted and counted")
  func leftOut() throws {
    var (client, service, empty) = (Self.access(nil), Self.access(nil), Self.access("c"))
    client.subject = .client
    service.subject = .userPlusClient
    service.onBehalfOf = "anna"
    empty.accessToken = nil
    let export = try ADALFile(tokens: [client, service, empty, Self.access("anna")]).serialized(as: .objc)
    #expect(export.leftOut == 3)
    #expect(try ADALFile(parsing: export.bytes, as: .objc).tokens.map(\.userID) == ["anna"])
  }

  @Test("A written file is read back equal and written again identically", arguments: ADALSamples.files)
  func roundTrip(_ file: (name: String, format: ADALFileFormat)) throws {
    let bytes = try ADALSamples.bytes(file.name)
    let first = try ADALFile(parsing: bytes, as: file.format, timeZone: ADALSamples.utc)
    let written = try first.serialized(as: .objc)
    let second = try ADALFile(parsing: written.bytes, as: .objc)
    let users = first.tokens.filter { $0.subject == .user }
    #expect(written.leftOut == first.tokens.count - users.count)
    #expect(second.leftOut.isEmpty)
    if file.format == .objc {
      #expect(second.tokens == users)
    } else {
      for (second, first) in zip(second.tokens, users) {
        #expect(second.accessToken == first.accessToken && second.refreshToken == first.refreshToken)
        #expect(second.userID == first.userID && second.expiresOn == first.expiresOn)
        #expect(second.uniqueID == first.uniqueID && second.tenantID == first.tenantID)
        #expect(second.givenName == first.givenName && second.familyName == first.familyName)
        #expect(second.isUserIDDisplayable == first.isUserIDDisplayable)
      }
      #expect(second.tokens.count == users.count)
    }
    #expect(try second.serialized(as: .objc).bytes == written.bytes)
  }

  @Test("Items of two users in turn are written identically after they were read")
  func withCreationLease() throws {
    let tokens = [("anna", "a"), ("boris", "a"), ("Anna", "b"), ("boris", "b")].map {
      Self.access($0, resource: $1)
    }
    let written = try ADALFile(tokens: tokens).serialized(as: .objc)
    let read = try ADALFile(parsing: written.bytes, as: .objc)
    #expect(read.tokens == [tokens[0], tokens[2], tokens[1], tokens[3]].map(\.displayable))
    #expect(try read.serialized(as: .objc).bytes == written.bytes)
  }

  @Test("Unknown members are written back unchanged")
  func extras() throws {
    let archive = ArchiveBuilder.item { archive, members in
      let nested = archive.dictionary([
        (archive.text("a"), archive.add(.integer(-5))), (archive.text("b"), archive.add(.real(0.1))),
        (archive.text("c"), archive.add(.bool(true))), (archive.text("d"), archive.object("NSNull", [:])),
        (archive.text("e"), archive.object("NSArray", ["NS.objects": .array([archive.text("x")])])),
        (archive.text("f"), archive.object("NSDate", ["NS.time": .real(0.5)])),
        (archive.text("g"), archive.object("NSMutableData", ["NS.data": .data([9, 8])])),
        (archive.text("h"), archive.dictionary([(archive.text("$date"), archive.text("5"))])),
      ])
      members["enrollmentId"] = archive.text("enrolled")
      members["additionalServer"] = archive.dictionary([(archive.text("spe_info"), archive.text("1"))])
      members["additionalClient"] = archive.dictionary([(archive.text("mine"), nested)])
      members["sessionKey"] = archive.add(.data([1, 2]))
      members["future"] = nested
    }
    let first = try ADALFile(parsing: archive.bytes, as: .objc)
    let second = try ADALFile(parsing: first.serialized(as: .objc).bytes, as: .objc)
    #expect(second.tokens == first.tokens)
    let written = try Written(second.tokens)
    for text in ["enrolled", "spe_info", "mine"] {
      #expect(written.objects.contains(.string(text)))
    }
    for object in [PropertyList.integer(-5), .real(0.1), .data([9, 8]), .data([1, 2])] {
      #expect(written.objects.contains(object))
    }
    #expect(written.objects.contains { $0.dictionaryValue?["NS.time"] == .real(0.5) })
    #expect(written.objects.contains { $0.dictionaryValue?["future"] != nil })
    // Another form does not get the members of the keychain's own form.
    let python = try second.serialized(as: .python).bytes
    #expect(!String(decoding: python, as: UTF8.self).contains("enrolled"))
  }
}

extension ADALToken {
  /// The item, with a user id that is marked as displayable.
  fileprivate var displayable: ADALToken {
    var token = self
    token.isUserIDDisplayable = true
    return token
  }
}
