// SPDX-License-Identifier: MIT

import TokenCacheModel

/// A mutator that changes places of a JSON document so that it stays valid JSON.
///
/// Changes of single bytes nearly always result in invalid JSON, which never reaches the code that reads the members.
struct JSONMutator {
  /// Values of every kind, including the limits of what is read from them.
  private static let values: [JSONValue] =
    [nil, true, false, [], [:], "", " ", "hunter!2", "a\u{301}", "\u{301}", "\u{130}", "0", "1", "-1"]
    + [
      "0", "-0", "1.5", "1e3", "-1", "1e400", "1e-400", "1700000000", "315360000", "315360001",
      "9999999999999", "10000000000000", "9223372036854775807", "9223372036854775808",
      "-9223372036854775808",
    ].compactMap { JSONNumber(literal: $0) }.flatMap { [.number($0), .string($0.literal)] }

  /// The maximum number of members to remember.
  private static let memory = 1024

  /// Members of earlier documents.
  private var seen: [(key: String, value: JSONValue)] = []

  /// Returns the document with random changes that depend on the seed and on earlier documents.
  mutating func mutated(_ document: JSONValue, seed: UInt32) -> JSONValue {
    var random = SplitMix64(seed: UInt64(seed))
    remember(document, &random)
    var result = document
    repeat {
      var index = Int.random(in: 0..<Self.count(result), using: &random)
      result = edited(result, at: &index, &random)
    } while Bool.random(using: &random)
    return result
  }

  /// Returns the number of places in a value: itself and everything inside it.
  private static func count(_ value: JSONValue) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + count($1) }
    case .object(let members): members.reduce(1) { $0 + count($1.value) }
    default: 1
    }
  }

  /// Remembers the members of a document.
  ///
  /// When the memory is full, they replace random earlier ones.
  private mutating func remember(_ value: JSONValue, _ random: inout SplitMix64) {
    for element in value.arrayValue ?? [] { remember(element, &random) }
    for member in value.objectValue ?? [:] {
      remember(member.value, &random)
      if seen.count < Self.memory {
        seen.append(member)
      } else {
        seen[Int.random(in: 0..<Self.memory, using: &random)] = member
      }
    }
  }

  /// Returns the value with a change at an index.
  ///
  /// Places are counted depth-first, starting with the value itself.
  private func edited(_ value: JSONValue, at index: inout Int, _ random: inout SplitMix64) -> JSONValue {
    index -= 1
    if index == -1 { return changed(value, &random) }
    switch value {
    case .array(let elements):
      return .array(elements.map { edited($0, at: &index, &random) })
    case .object(var members):
      for (key, member) in members { members[key] = edited(member, at: &index, &random) }
      return .object(members)
    default:
      return value
    }
  }

  /// Returns a changed value.
  private func changed(_ value: JSONValue, _ random: inout SplitMix64) -> JSONValue {
    if Int.random(in: 0..<4, using: &random) == 0 { return anything(&random) }
    switch value {
    case .object(let members):
      return .object(changed(members, &random))
    case .array(let elements):
      return .array(elements + [elements.randomElement(using: &random) ?? anything(&random)])
    case .string(let text):
      return .string(changed(text, &random))
    case .null, .bool, .number:
      return anything(&random)
    }
  }

  /// Returns the members after one of them was added, removed or changed.
  private func changed(_ members: JSONObject, _ random: inout SplitMix64) -> JSONObject {
    var members = members
    let key = members.keys.randomElement(using: &random) ?? ""
    let other = seen.randomElement(using: &random) ?? ("", .null)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: members[key] = nil
    case 1: members[other.key] = other.value
    case 2: members[other.key] = anything(&random)
    case 3: members[changed(key, &random)] = members[key]
    case 4: members[other.key] = members[key]
    default: members[key] = other.value
    }
    return members
  }

  /// Returns a text that is similar to the given one or comes from an earlier document.
  private func changed(_ text: String, _ random: inout SplitMix64) -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: text + text
    case 1: text.uppercased()
    case 2: text + " "
    case 3: text + (Self.values.randomElement(using: &random)?.textValue ?? "")
    case 4: String(text.dropLast())
    default: seen.randomElement(using: &random)?.value.stringValue ?? ""
    }
  }

  /// Returns a value of an earlier document, or a value at a limit.
  private func anything(_ random: inout SplitMix64) -> JSONValue {
    let remembered = Bool.random(using: &random) ? seen.randomElement(using: &random)?.value : nil
    return remembered ?? Self.values.randomElement(using: &random) ?? .null
  }
}
