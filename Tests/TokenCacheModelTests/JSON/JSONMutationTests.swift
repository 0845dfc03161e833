// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

/// Mutates documents with a fixed random seed.
@Suite("JSON: mutated documents")
struct JSONMutationTests {
  /// Text fragments that are significant in the grammar.
  private static let pieces: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud834", "\\udd1e", "0", "-", ".", "e", "null",
      "true",
      "\"k\":1,", ",1", " ", "\n", "é", "\u{1}", "[[[[[[[[[[[[[[[[", "{}", "\"\"", "1e5",
    ].map { Array($0.utf8) } + [
      [0x00], [0x80], [0xC3], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF], [0xF4], [0xFF],
    ]

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
    let place = random.next(below: bytes.count + 1)
    let end = min(bytes.count, place + 1 + random.next(below: 4))
    switch random.next(below: 6) {
    case 0: bytes.insert(contentsOf: pieces[random.next(below: pieces.count)], at: place)
    case 1: bytes.replaceSubrange(place..<end, with: pieces[random.next(below: pieces.count)])
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
    case 4: if place < bytes.count { bytes[place] ^= 1 << UInt8(random.next(below: 8)) }
    default: if place < bytes.count { bytes[place] = UInt8(random.next(below: 256)) }
    }
  }

  @Test("An accepted document is written and read back equal; any other is refused", .timeLimit(.minutes(2)))
  func mutations() throws {
    var random = SplitMix64(seed: 0x5EED)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = Array((round.isMultiple(of: 10) ? JSONSamples.cache : JSONSamples.compact).utf8)
      for _ in 0...max(0, random.next(below: 4) - 1) { Self.mutate(&bytes, &random) }
      let value: JSONValue
      do {
        value = try JSONValue(parsing: bytes)
      } catch {
        if !(0...bytes.count ~= error.offset) {
          Issue.record("offset \(error.offset) is outside of the document")
        }
        continue
      }
      accepted += 1
      let reread = try JSONValue(parsing: value.serialized(pretty: round.isMultiple(of: 2)))
      if reread != value || reread.hashValue != value.hashValue || reread.serialized() != value.serialized() {
        Issue.record("a document with \(bytes.count) bytes does not survive")
      }
    }
    // Both outcomes must be frequent, or the mutations test little.
    #expect(2_000...18_000 ~= accepted)
  }

  @Test("Random values are read back equal")
  func randomValues() throws {
    var random = SplitMix64(seed: 7)
    for round in 0..<500 {
      let value = Self.value(depth: 5, &random)
      let written = value.serialized(pretty: round.isMultiple(of: 2))
      let reread = try JSONValue(parsing: written)
      #expect(reread == value)
      #expect(reread.hashValue == value.hashValue)
    }
  }

  private static func value(depth: Int, _ random: inout SplitMix64) -> JSONValue {
    switch random.next(below: depth == 0 ? 4 : 6) {
    case 0: return .null
    case 1: return .bool(random.next(below: 2) == 0)
    case 2: return .number(JSONNumber(Int64(bitPattern: random.next()) >> Int64(random.next(below: 64))))
    case 3: return .string(string(&random))
    case 4: return .array((0..<random.next(below: 6)).map { _ in value(depth: depth - 1, &random) })
    default:
      var object = JSONObject()
      for _ in 0..<random.next(below: 24) { object[string(&random)] = value(depth: depth / 2, &random) }
      return .object(object)
    }
  }

  private static func string(_ random: inout SplitMix64) -> String {
    var result = ""
    for _ in 0..<random.next(below: 12) {
      let limit: UInt64 = [0x30, 0x80, 0x800, 0x1_0000, 0x11_0000][random.next(below: 5)]
      if let scalar = Unicode.Scalar(UInt32(random.next() % limit)) { result.unicodeScalars.append(scalar) }
    }
    return result
  }
}
