// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists

/// A keyed archive (`NSKeyedArchiver`): a list of objects that refer to each other by index.
///
/// `NSKeyedUnarchiver` is not used: it is not in FoundationEssentials, and it needs a class for each object that it
/// decodes, such as ADAL's `ADTokenCacheStoreItem`, which is not there on Linux.
///
/// Only the requested objects are read. The depth limit stops at an object that contains itself. The limit on the
/// amount read stops at too many references to one object.
struct KeyedArchive {
  /// An object, without the objects that it refers to.
  enum Object {
    case null
    /// A string, a number, a Boolean, bytes or a date.
    case plain(PropertyList)
    case object(ArchivedClass, [String: PropertyList])
  }

  /// The maximum nesting depth of a value that is converted to JSON: 16 levels.
  static let maximumDepth = 16

  /// The reference to the root object.
  let root: PropertyList

  private let objects: [PropertyList]
  private var weight = 0

  /// Finds the objects in a property list.
  ///
  /// - Throws: `invalidFile` when the property list is not a keyed archive.
  init(_ list: PropertyList) throws(SecretStoreError) {
    let members = list.dictionaryValue ?? [:]
    guard members["$archiver"] == .string("NSKeyedArchiver"), members["$version"] == .integer(100_000),
      let objects = members["$objects"]?.arrayValue, objects.first == .string("$null"),
      let root = members["$top"]?.dictionaryValue?["root"], case .uid = root
    else { throw SecretStoreError(.invalidFile, "The property list is no keyed archive.") }
    self.objects = objects
    self.root = root
  }

  /// Returns the object that a value refers to; simple values may stand in place of a reference.
  mutating func object(_ value: PropertyList?) throws(ADALEntryProblem) -> Object {
    guard let value else { return .null }
    try addWeight(32)
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
    case .string(let text): try addWeight(text.utf8.count)
    case .data(let bytes): try addWeight(bytes.count)
    case .bool, .integer, .real, .date: break
    case .uid, .array, .dictionary: throw ADALEntryProblem("has a value where an object should be")
    }
    return value
  }

  /// Counts the amount read, because many references may lead to one object; throws above the limit.
  mutating func addWeight(_ weight: Int) throws(ADALEntryProblem) {
    self.weight += weight
    guard self.weight <= PropertyList.maximumWeight else {
      throw ADALEntryProblem("brings what is read to more than \(PropertyList.maximumWeight) bytes")
    }
  }
}
