// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists

extension KeyedArchive {
  /// Reads a string; returns `nil` when there is none.
  mutating func text(_ value: PropertyList?, _ name: String) throws(ADALEntryProblem) -> String? {
    switch try object(value) {
    case .null: return nil
    case .plain(.string(let text)): return text
    case .object(let named, let members) where named == .string || named == .mutableString:
      if case .plain(.string(let text)) = try inline(members["NS.string"]) { return text }
    default: break
    }
    throw ADALEntryProblem("has a \(name) that is not text")
  }

  /// Reads a date as seconds since the start of 2001; returns `nil` when there is none.
  mutating func time(_ value: PropertyList?, _ name: String) throws(ADALEntryProblem) -> Double? {
    switch try object(value) {
    case .null: return nil
    case .plain(.date(let date)): return date.timeIntervalSinceReferenceDate
    case .object(.date, let members):
      switch try inline(members["NS.time"]) {
      case .plain(.real(let seconds)): return seconds
      case .plain(.integer(let seconds)): return Double(seconds)
      default: break
      }
    default: break
    }
    throw ADALEntryProblem("has a \(name) that is not a date")
  }

  /// Reads a Boolean; returns `nil` when there is none.
  mutating func bool(_ value: PropertyList?, _ name: String) throws(ADALEntryProblem) -> Bool? {
    switch try object(value) {
    case .null: return nil
    case .plain(.bool(let bool)): return bool
    default: throw ADALEntryProblem("has a \(name) that is neither true nor false")
    }
  }

  /// Reads the keys and values of a dictionary; returns `nil` when there is none.
  mutating func pairs(
    _ value: PropertyList?, _ name: String
  ) throws(ADALEntryProblem) -> [(key: PropertyList, value: PropertyList)]? {
    switch try object(value) {
    case .null: return nil
    case .object(let named, let members) where named == .dictionary || named == .mutableDictionary:
      guard let keys = members["NS.keys"]?.arrayValue, let values = members["NS.objects"]?.arrayValue,
        keys.count == values.count
      else { throw ADALEntryProblem("has a \(name) with other keys than values") }
      return Array(zip(keys, values))
    default: throw ADALEntryProblem("has a \(name) that is not a dictionary")
    }
  }

  /// Reads a dictionary whose keys must be distinct strings; returns `nil` when there is none.
  mutating func members(
    _ value: PropertyList?, _ name: String
  ) throws(ADALEntryProblem) -> [(name: String, value: PropertyList)]? {
    guard let pairs = try pairs(value, name) else { return nil }
    var members: [(name: String, value: PropertyList)] = []
    var names: Set<String> = []
    for (key, value) in pairs {
      guard let key = try text(key, name), names.insert(key).inserted else {
        throw ADALEntryProblem("has a \(name) with a key that is no text, or is there twice")
      }
      members.append((key, value))
    }
    return members
  }

  /// Reads a value that must be inline, not a reference, as in the simplest classes.
  private mutating func inline(_ value: PropertyList?) throws(ADALEntryProblem) -> Object {
    if case .uid? = value { throw ADALEntryProblem("has a value that is not where it should be") }
    return try object(value)
  }
}
