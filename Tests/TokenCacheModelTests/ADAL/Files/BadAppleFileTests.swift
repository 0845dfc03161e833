// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import ADALCache
@testable import PropertyLists

@Suite("Malformed ADAL files of iOS and macOS")
struct BadAppleFileTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    init(_ name: String, _ archive: ArchiveBuilder, _ change: (inout ArchiveBuilder) -> Void = { _ in }) {
      var archive = archive
      change(&archive)
      testDescription = name
      bytes = archive.bytes
    }
  }

  private static func cache(_ change: (inout ArchiveBuilder) -> [(PropertyList, PropertyList)])
    -> ArchiveBuilder
  {
    ArchiveBuilder.cache(change)
  }

  private static func pair(_ archive: inout ArchiveBuilder) -> (PropertyList, PropertyList) {
    let members = archive.itemMembers("at")
    return (archive.object("ADTokenCacheKey", [:]), archive.object("ADTokenCacheStoreItem", members))
  }

  private static let frames: [Bad] = [
    Bad("no archiver", .item()) { $0.members["$archiver"] = nil },
    Bad("another archiver", .item()) { $0.members["$archiver"] = .string("NSArchiver") },
    Bad("another version", .item()) { $0.members["$version"] = .integer(1) },
    Bad("a version that is text", .item()) { $0.members["$version"] = .string("100000") },
    Bad("no root", .item()) { $0.members["$top"] = .dictionary([:]) },
    Bad("no top", .item()) { $0.members["$top"] = nil },
    Bad("a root that is no reference", .item()) { $0.members["$top"] = .dictionary(["root": .integer(1)]) },
    Bad("a root that is not there", .item()) { $0.members["$top"] = .dictionary(["root": .uid(1000)]) },
    Bad("a root of nothing", .item()) { $0.members["$top"] = .dictionary(["root": .uid(0)]) },
    Bad("no objects", .item()) { $0.members["$objects"] = .array([]) },
    Bad("objects that are none", .item()) { $0.members["$objects"] = .string("") },
    Bad("objects without nothing", .item()) { $0.objects[0] = .string("null") },
    Bad("a root that is text", .item()) { $0.objects[1] = .string("root") },
    Bad("a root without a class", .item()) { $0.objects[1] = .dictionary([:]) },
    Bad("a root of an unknown class", .item("NSTask")), Bad("a root that is a key", .item("ADTokenCacheKey")),
    Bad("a root that is a user", .item("ADUserInformation")), Bad("an array of items", .item("NSArray")),
    Bad("a class that is no object", .item()) { $0.objects[1] = .dictionary(["$class": .string("NSDate")]) },
    Bad("a class that is itself", .item()) { $0.objects[1] = .dictionary(["$class": .uid(1)]) },
    Bad("a class that is not there", .item()) { $0.objects[1] = .dictionary(["$class": .uid(99)]) },
    Bad("a cache of a later version", .cache(version: .real(1.1)) { [pair(&$0)] }),
    Bad("a cache of version 2", .cache(version: .integer(2)) { [pair(&$0)] }),
    Bad("a cache of a negative version", .cache(version: .real(-1)) { [pair(&$0)] }),
    Bad("a cache whose version is none", .cache(version: .string("one")) { [pair(&$0)] }),
    Bad("a cache whose version is nan", .cache(version: .string("nan")) { [pair(&$0)] }),
    Bad("a cache whose version is data", .cache(version: .data([1])) { [pair(&$0)] }),
    Bad("a user that is a number", .cache(user: .integer(1)) { [pair(&$0)] }),
    Bad(
      "a user whose items are an item",
      .cacheOfUsers { archive in
        let user = archive.text("anna@contoso.com")
        return archive.dictionary([(user, pair(&archive).1)])
      }),
    Bad("users that are an array", .cacheOfUsers { $0.object("NSArray", ["NS.objects": .array([])]) }),
    Bad(
      "a user twice",
      .cacheOfUsers { archive in
        let user = archive.text("anna@contoso.com")
        return archive.dictionary([(user, archive.dictionary([])), (user, archive.dictionary([]))])
      }),
    Bad(
      "two users with the same items",
      .cacheOfUsers { archive in
        let items = archive.dictionary([pair(&archive)])
        return archive.dictionary([(archive.text("anna"), items), (archive.text("boris"), items)])
      }),
    Bad(
      "an item in two places",
      cache { archive in
        let (key, item) = pair(&archive)
        return [(key, item), (archive.object("ADTokenCacheKey", [:]), item)]
      }),
    Bad("an item that is the cache", cache { archive in [(archive.object("ADTokenCacheKey", [:]), .uid(1))] })
    {
      $0.members["$top"] = .dictionary(["root": .uid(2)])
    },
  ]

  @Test(
    "An archive with a malformed structure throws invalidFile, also when invalid items may be skipped",
    arguments: frames,
    [true, false])
  func refusesFrame(_ bad: Bad, skippingInvalid: Bool) {
    #expect(throws: SecretStoreError(.invalidFile, "")) {
      try ADALFile(parsing: bad.bytes, as: .objc, skippingInvalid: skippingInvalid)
    }
  }

  @Test("An invalid item makes the archive corrupt, or is skipped", arguments: BadAppleItem.all)
  func refusesItem(_ bad: BadAppleItem) throws {
    let single = ArchiveBuilder.item { bad.change(&$0, &$1) }
    #expect(throws: SecretStoreError(.invalidFile, "")) { try ADALFile(parsing: single.bytes, as: .objc) }
    let alone = try ADALFile(parsing: single.bytes, as: .objc, skippingInvalid: true)
    #expect(alone.tokens.isEmpty)
    #expect(alone.leftOut.map(\.reason) == [.invalid])
    #expect(alone.leftOut.first?.detail?.isEmpty == false)
  }

  @Test("In a cache with an invalid item the others are read")
  func readsOthers() throws {
    let archive = ArchiveBuilder.cache { archive in
      var bad = archive.itemMembers("bad")
      bad["clientId"] = nil
      let key = archive.object("ADTokenCacheKey", [:])
      return [
        Self.pair(&archive), (key, archive.object("ADTokenCacheStoreItem", bad)),
        (archive.text("no key"), Self.pair(&archive).1), (key, archive.text("no item")),
        (key, archive.object("NSProxy", [:])), (.uid(0), .uid(0)),
      ]
    }
    #expect(throws: SecretStoreError(.invalidFile, "")) { try ADALFile(parsing: archive.bytes, as: .objc) }
    let file = try ADALFile(parsing: archive.bytes, as: .objc, skippingInvalid: true)
    #expect(file.tokens.map(\.accessToken) == ["at"])
    #expect(file.leftOut.map(\.index) == [1, 2, 3, 4, 5])
    #expect(file.leftOut.allSatisfy { $0.reason == .invalid })
  }
}
