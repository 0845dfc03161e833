// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists
import StrictJSON

/// A builder of keyed archives.
struct KeyedArchiveBuilder {
  private var objects: [PropertyList] = [.string("$null")]
  private var classes: [ArchivedClass: PropertyList] = [:]
  private var texts: [[UInt8]: PropertyList] = [:]

  /// The reference that stands for no object.
  static let null = PropertyList.uid(0)

  /// Returns the archive with the given root object.
  func archive(root: PropertyList) -> PropertyList {
    .dictionary([
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$objects": .array(objects),
      "$top": .dictionary(["root": root]),
    ])
  }

  /// Adds a string, only once if it is repeated; returns the null reference for `nil`.
  mutating func text(_ text: String?) -> PropertyList {
    guard let text else { return Self.null }
    let known = texts[Array(text.utf8)] ?? add(.string(text))
    texts[Array(text.utf8)] = known
    return known
  }

  /// Adds a date, in seconds since the start of 2001; returns the null reference for `nil`.
  mutating func date(_ seconds: Double?) -> PropertyList {
    guard let seconds else { return Self.null }
    return object(.date, ["NS.time": .real(seconds)])
  }

  /// Adds a number, a Boolean or bytes.
  mutating func plain(_ value: PropertyList) -> PropertyList { add(value) }

  /// Adds an object.
  mutating func object(_ named: ArchivedClass, _ members: [String: PropertyList]) -> PropertyList {
    var members = members
    members["$class"] = reference(to: named)
    return add(.dictionary(members))
  }

  /// Adds a dictionary.
  mutating func dictionary(
    _ pairs: [(key: PropertyList, value: PropertyList)], _ named: ArchivedClass = .dictionary
  ) -> PropertyList {
    object(named, ["NS.keys": .array(pairs.map(\.key)), "NS.objects": .array(pairs.map(\.value))])
  }

  /// Adds a value that was read as JSON.
  mutating func json(_ value: JSONValue) -> PropertyList {
    switch value {
    case .null: return object(.null, [:])
    case .bool(let bool): return plain(.bool(bool))
    case .number(let number):
      if let integer = Int64(number.literal) { return plain(.integer(integer)) }
      return plain(.real(Double(number.literal) ?? 0))
    case .string(let text): return self.text(text)
    case .array(let elements):
      return object(.array, ["NS.objects": .array(elements.map { json($0) })])
    case .object(let members):
      if members.count == 1, let text = members[KeyedArchive.dateMember]?.stringValue,
        let seconds = Double(text), seconds.isFinite
      {
        return date(seconds)
      }
      if members.count == 1, let text = members[KeyedArchive.dataMember]?.stringValue,
        let data = Data(base64Encoded: text)
      {
        return plain(.data(Array(data)))
      }
      return json(members)
    }
  }

  /// Adds a dictionary that was read as JSON.
  mutating func json(_ members: JSONObject, _ named: ArchivedClass = .dictionary) -> PropertyList {
    dictionary(
      members.map { (text($0.key.hasPrefix("$$") ? String($0.key.dropFirst()) : $0.key), json($0.value)) },
      named)
  }

  private mutating func reference(to named: ArchivedClass) -> PropertyList {
    if let reference = classes[named] { return reference }
    let reference = add(
      .dictionary([
        "$classname": .string(named.rawValue),
        "$classes": .array(named.hierarchy.map(PropertyList.string)),
      ]))
    classes[named] = reference
    return reference
  }

  private mutating func add(_ object: PropertyList) -> PropertyList {
    objects.append(object)
    return .uid(UInt32(clamping: objects.count - 1))
  }
}
