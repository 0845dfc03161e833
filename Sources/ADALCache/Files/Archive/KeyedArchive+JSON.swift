// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists
import StrictJSON

extension KeyedArchive {
  /// The only member of an object that represents a date: the seconds since the start of 2001.
  static let dateMember = "$date"

  /// The only member of an object that represents bytes: their Base64 text.
  static let dataMember = "$data"

  /// Converts any value to JSON, so that it can be kept with an item and written back.
  ///
  /// A name that begins with a dollar sign gets a second one.
  mutating func json(_ value: PropertyList?, depth: Int = 0) throws(ADALEntryProblem) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw ADALEntryProblem("has more than \(Self.maximumDepth) levels, or an object that holds itself")
    }
    try addWeight(96)
    switch try object(value) {
    case .null: return .null
    case .plain(let plain): return Self.json(plain)
    case .object(let named, let members):
      switch named {
      case .string, .mutableString: return .string(try text(value, "text") ?? "")
      case .date: return Self.json(date: try time(value, "date") ?? 0)
      case .data, .mutableData:
        guard case .data(let bytes)? = members["NS.data"] else {
          throw ADALEntryProblem("has malformed data")
        }
        return Self.json(.data(bytes))
      case .array, .mutableArray:
        guard let elements = members["NS.objects"]?.arrayValue else {
          throw ADALEntryProblem("has a malformed array")
        }
        return .array(
          try elements.map { element throws(ADALEntryProblem) in try json(element, depth: depth + 1) })
      case .dictionary, .mutableDictionary:
        var object: JSONObject = [:]
        for (name, value) in try self.members(value, "dictionary") ?? [] {
          object[(name.hasPrefix("$") ? "$" : "") + name] = try json(value, depth: depth + 1)
        }
        return .object(object)
      case .number, .null, .item, .key, .user, .primaryRefreshToken:
        throw ADALEntryProblem("has an object where a value should be")
      }
    }
  }

  private static func json(_ plain: PropertyList) -> JSONValue {
    switch plain {
    case .bool(let bool): return .bool(bool)
    case .integer(let integer): return .number(JSONNumber(integer))
    case .real(let real): return JSONNumber(literal: "\(real)").map(JSONValue.number) ?? .null
    case .string(let text): return .string(text)
    case .date(let date): return json(date: date.timeIntervalSinceReferenceDate)
    case .data(let bytes): return [dataMember: .string(Data(bytes).base64EncodedString())]
    case .uid, .array, .dictionary: return .null
    }
  }

  private static func json(date: Double) -> JSONValue { [dateMember: .string("\(date)")] }
}
