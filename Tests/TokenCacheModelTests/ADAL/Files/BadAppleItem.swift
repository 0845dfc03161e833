// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing
import TokenCacheModel

@testable import PropertyLists

/// A defect of an archived item.
struct BadAppleItem: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let change: @Sendable (inout ArchiveBuilder, inout [String: PropertyList]) -> Void

  init(
    _ name: String, _ change: @escaping @Sendable (inout ArchiveBuilder, inout [String: PropertyList]) -> Void
  ) {
    testDescription = name
    self.change = change
  }

  static let all = kinds + times + others

  private static let texts = [
    "authority", "clientId", "resource", "familyId", "accessToken", "accessTokenType", "refreshToken",
    "homeAccountId",
    "applicationIdentifier",
  ]

  private static let kinds: [BadAppleItem] = texts.flatMap { name in
    [
      BadAppleItem("\(name): a number") { $1[name] = $0.add(.integer(1)) },
      BadAppleItem("\(name): data") { $1[name] = $0.add(.data([1])) },
      BadAppleItem("\(name): an array in its place") { $1[name] = .array([]) },
      BadAppleItem("\(name): a dictionary") { $1[name] = $0.dictionary([]) },
      BadAppleItem("\(name): a date") { $1[name] = $0.object("NSDate", ["NS.time": .real(1)]) },
      BadAppleItem("\(name): a text of nothing") { $1[name] = $0.object("NSMutableString", [:]) },
      BadAppleItem("\(name): a text of a text") {
        $1[name] = $0.object("NSMutableString", ["NS.string": $0.text("a")])
      },
      BadAppleItem("\(name): a text of itself") {
        $1[name] = $0.object("NSMutableString", ["NS.string": $0.next])
      },
      BadAppleItem("\(name): of an unknown class") {
        $1[name] = $0.object("NSURL", ["NS.relative": .string("a")])
      },
      BadAppleItem("\(name): not there") { $1[name] = .uid(100_000) },
    ]
  }

  private static let times: [BadAppleItem] = ["expiresOn", "cachedAt"].flatMap { name in
    [
      BadAppleItem("\(name): text") { $1[name] = $0.text("2016-02-11 19:26:30") },
      BadAppleItem("\(name): without a time") { $1[name] = $0.object("NSDate", [:]) },
      BadAppleItem("\(name): a text for its time") {
        $1[name] = $0.object("NSDate", ["NS.time": .string("1")])
      },
      BadAppleItem("\(name): before 1970") {
        $1[name] = $0.object("NSDate", ["NS.time": .real(-978_307_201)])
      },
      BadAppleItem("\(name): after 2200") {
        $1[name] = $0.object("NSDate", ["NS.time": .real(6_279_811_200)])
      },
      BadAppleItem("\(name): of a mutable kind") {
        $1[name] = $0.object("NSCalendarDate", ["NS.time": .real(1)])
      },
    ]
  }

  private static func user(_ members: @escaping @Sendable (inout ArchiveBuilder) -> [String: PropertyList])
    -> BadAppleItem
  {
    BadAppleItem("a user") { archive, item in
      let members = members(&archive)
      item["userInformation"] = archive.object("ADUserInformation", members)
    }
  }

  private static let others: [BadAppleItem] = [
    BadAppleItem("no authority") { $1["authority"] = nil },
    BadAppleItem("no client") { $1["clientId"] = nil },
    BadAppleItem("an empty client") { $1["clientId"] = $0.text("") },
    BadAppleItem("no token") { $1["accessToken"] = nil },
    BadAppleItem("a user that is text") { $1["userInformation"] = $0.text("anna") },
    BadAppleItem("a user that is an item") {
      $1["userInformation"] = $0.object("ADTokenCacheStoreItem", [:])
    },
    user { ["rawIdToken": $0.add(.integer(1))] }, user { ["userId": $0.add(.data([]))] },
    user { ["userId": $0.text("a"), "userIdDisplayable": $0.text("yes")] },
    user { ["allClaims": $0.dictionary([($0.add(.integer(1)), $0.text("a"))])] },
    user { ["allClaims": $0.object("NSDictionary", ["NS.keys": .array([$0.text("a")])])] },
    user {
      ["allClaims": $0.object("NSDictionary", ["NS.keys": .array([$0.text("a")]), "NS.objects": .array([])])]
    },
    user { archive in
      let (name, value) = (archive.text("upn"), archive.text("a"))
      return ["allClaims": archive.dictionary([(name, value), (name, value)])]
    },
    BadAppleItem("an unknown member of an unknown class") { $1["x"] = $0.object("NSInvocation", [:]) },
    BadAppleItem("an unknown member that is an item") { $1["x"] = $0.object("ADTokenCacheStoreItem", [:]) },
    BadAppleItem("an unknown member that holds itself") { archive, item in
      item["x"] = archive.object("NSArray", ["NS.objects": .array([archive.next])])
    },
    BadAppleItem("an unknown member that holds the item") { archive, item in
      item["x"] = archive.object("NSArray", ["NS.objects": .array([.uid(1)])])
    },
    BadAppleItem("what the server sent is text") { $1["additionalServer"] = $0.text("a") },
    BadAppleItem("what the server sent has a time that is text") { archive, item in
      item["additionalServer"] = archive.dictionary([
        (archive.text("extended_expires_on"), archive.text("2016-02-11 19:26:30"))
      ])
    },
    BadAppleItem("a token that is too large") { archive, item in
      item["accessToken"] = archive.text(String(repeating: "a", count: TokenResponse.maximumTokenBytes + 1))
    },
    BadAppleItem("a deep member") { archive, item in
      item["x"] = (0..<40).reduce(archive.text("a")) { inner, _ in
        archive.object("NSArray", ["NS.objects": .array([inner])])
      }
    },
    BadAppleItem("a member that grows") { archive, item in
      item["x"] = (0..<14).reduce(archive.text("a")) { inner, _ in
        archive.object("NSArray", ["NS.objects": .array(Array(repeating: inner, count: 16))])
      }
    },
    BadAppleItem("a member that grows out of nothing") { archive, item in
      let empty = archive.object("NSArray", ["NS.objects": .array([])])
      item["x"] = (0..<14).reduce(empty) { inner, _ in
        archive.object("NSArray", ["NS.objects": .array(Array(repeating: inner, count: 16))])
      }
    },
  ]
}
