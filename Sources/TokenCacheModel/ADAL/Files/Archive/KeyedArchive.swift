// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// A keyed archive (`NSKeyedArchiver`): objects in a list, that refer to each other by their places in it.
///
/// Only what is asked for is looked at. An object that leads back to itself is found by the bound on depth, and many
/// references to one by the bound on what is read in all.
struct KeyedArchive {
  /// An object, as far as it can be told without the objects that it refers to.
  enum Object {
    case null
    /// Text, a number, a truth value, bytes or a date.
    case plain(PropertyList)
    case object(ArchivedClass, [String: PropertyList])
  }

  /// How many arrays and dictionaries may be within each other: 16.
  static let maximumDepth = 16

  /// The object that all others belong to.
  let root: PropertyList

  private let objects: [PropertyList]
  private var charged = 0

  /// Finds the objects in a property list.
  ///
  /// - Throws: `corruptItem` when it is no keyed archive.
  init(_ list: PropertyList) throws(SecretStoreError) {
    let members = list.dictionaryValue ?? [:]
    guard members["$archiver"] == .string("NSKeyedArchiver"), members["$version"] == .integer(100_000),
      let objects = members["$objects"]?.arrayValue, objects.first == .string("$null"),
      let root = members["$top"]?.dictionaryValue?["root"], case .uid = root
    else { throw SecretStoreError(.corruptItem, "The property list is no keyed archive.") }
    self.objects = objects
    self.root = root
  }

  /// The object that a value refers to; numbers and truth values may stand where a reference could.
  mutating func object(_ value: PropertyList?) throws(ADALEntryProblem) -> Object {
    guard let value else { return .null }
    try charge(32)
    guard case .uid(let uid) = value else { return .plain(try plain(value)) }
    guard uid < objects.count else { throw ADALEntryProblem("refers to an object that the archive lacks") }
    if uid == 0 { return .null }
    let object = objects[Int(uid)]
    guard case .dictionary(let members) = object else { return .plain(try plain(object)) }
    let named = try named(members["$class"])
    return named == .null ? .null : .object(named, members)
  }

  private func named(_ reference: PropertyList?) throws(ADALEntryProblem) -> ArchivedClass {
    guard case .uid(let uid)? = reference, uid < objects.count,
      let name = objects[Int(uid)].dictionaryValue?["$classname"]?.stringValue
    else { throw ADALEntryProblem("has an object without a class") }
    guard let named = ArchivedClass(rawValue: name) else {
      throw ADALEntryProblem("has an object of an unknown class")
    }
    return named
  }

  private mutating func plain(_ value: PropertyList) throws(ADALEntryProblem) -> PropertyList {
    switch value {
    case .string(let text): try charge(text.utf8.count)
    case .data(let bytes): try charge(bytes.count)
    case .bool, .integer, .real, .date: break
    case .uid, .array, .dictionary: throw ADALEntryProblem("has a value where an object should be")
    }
    return value
  }

  /// Counts what is read: many references may lead to one object.
  mutating func charge(_ weight: Int) throws(ADALEntryProblem) {
    charged += weight
    guard charged <= PropertyList.maximumWeight else {
      throw ADALEntryProblem("brings what is read to more than \(PropertyList.maximumWeight) bytes")
    }
  }
}
