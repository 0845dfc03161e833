// SPDX-License-Identifier: MIT

import KeychainGroupModel

@testable import PropertyLists

/// Builds a keyed archive, valid or not.
struct ArchiveBuilder {
  var members: [String: PropertyList] = [
    "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
    "$top": .dictionary(["root": .uid(1)]),
  ]
  var objects: [PropertyList]

  /// Starts an archive with a root, which is object 1.
  init(_ objects: PropertyList...) { self.objects = [.string("$null")] + objects }

  var list: PropertyList {
    var members = members
    if members["$objects"] == nil { members["$objects"] = .array(objects) }
    return .dictionary(members)
  }

  var bytes: [UInt8] { list.serialized() }

  /// The number that the next object will have.
  var next: PropertyList { .uid(UInt32(objects.count)) }

  /// Adds an object.
  mutating func add(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(UInt32(objects.count - 1))
  }

  mutating func text(_ text: String) -> PropertyList { add(.string(text)) }

  /// Adds an object of a class.
  mutating func object(_ name: String, _ members: [String: PropertyList]) -> PropertyList {
    add(made(name, members))
  }

  mutating func dictionary(
    _ pairs: [(PropertyList, PropertyList)], _ name: String = "NSMutableDictionary"
  ) -> PropertyList {
    object(name, ["NS.keys": .array(pairs.map(\.0)), "NS.objects": .array(pairs.map(\.1))])
  }

  /// An object of a class, to replace another one.
  mutating func made(_ name: String, _ members: [String: PropertyList]) -> PropertyList {
    let named = add(.dictionary(["$classname": .string(name), "$classes": .array([.string(name)])]))
    return .dictionary(members.merging(["$class": named]) { $1 })
  }

  /// An archive of one item, with members that `change` may set.
  static func item(
    _ name: String = "ADTokenCacheStoreItem",
    _ change: (inout ArchiveBuilder, inout [String: PropertyList]) -> Void = { _, _ in }
  ) -> ArchiveBuilder {
    var archive = ArchiveBuilder(.string("root"))
    var members = archive.itemMembers("at")
    change(&archive, &members)
    archive.objects[1] = archive.made(name, members)
    return archive
  }

  /// The members of an item with an access token.
  mutating func itemMembers(_ accessToken: String) -> [String: PropertyList] {
    [
      "authority": text(ADALSamples.tenant), "clientId": text(ADALSamples.client), "resource": text("r"),
      "accessToken": text(accessToken),
    ]
  }

  /// A serialized cache with one user; `items` adds the user's keys and items.
  static func cache(
    version: PropertyList = .real(1), user: PropertyList = .string("anna@contoso.com"),
    _ items: (inout ArchiveBuilder) -> [(PropertyList, PropertyList)]
  ) -> ArchiveBuilder {
    cacheOfUsers(version: version) { archive in
      let pairs = items(&archive)
      return archive.dictionary([(archive.add(user), archive.dictionary(pairs))])
    }
  }

  /// A serialized cache; `users` adds the users with their items.
  static func cacheOfUsers(
    version: PropertyList = .real(1), _ users: (inout ArchiveBuilder) -> PropertyList
  ) -> ArchiveBuilder {
    var archive = ArchiveBuilder(.string("root"))
    let all = users(&archive)
    let cache = archive.dictionary([(archive.text("tokens"), all)])
    archive.objects[1] = archive.made(
      "NSDictionary",
      [
        "NS.keys": .array([archive.text("tokenCache"), archive.text("version")]),
        "NS.objects": .array([cache, archive.add(version)]),
      ])
    return archive
  }
}
