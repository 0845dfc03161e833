// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@testable import PropertyLists

@Suite("Binary property list")
struct BinaryPropertyListTests {
  static let values: [PropertyList] = [
    .bool(true), .bool(false), .integer(0), .integer(255), .integer(256), .integer(65_536),
    .integer(4_294_967_295), .integer(4_294_967_296), .integer(-1), .integer(.max), .integer(.min),
    .real(1.5), .real(-1e300), .date(Date(timeIntervalSinceReferenceDate: 725_846_400.25)),
    .date(Date(timeIntervalSinceReferenceDate: -1e9)), .data([]), .data([0, 1, 255]),
    .data(Array(repeating: 7, count: 70_000)), .string(""), .string("token"), .string("Ада 👩‍💻"),
    .string(String(repeating: "x", count: 300)), .array([]), .dictionary([:]),
    .array([.string("a"), .string("a"), .integer(1), .real(1)]),
    .dictionary(["a": .array([.dictionary(["b": .bool(true)])]), "ü": .string("ü")]),
    .array((0..<300).map { .integer($0) }),
  ]

  @Test("A written list is read back equal, here and by Foundation", arguments: values)
  func roundTrip(_ value: PropertyList) throws {
    let written = value.serialized()
    #expect(try PropertyList(parsing: written) == value)
    #expect(value.serialized() == written)
    let foundation = try unsafe PropertyListSerialization.propertyList(from: Data(written), format: nil)
    let again = try PropertyListSerialization.data(fromPropertyList: foundation, format: .binary, options: 0)
    #expect(try PropertyList(parsing: Array(again)) == value)
  }

  @Test("References of keyed archives are written and read", arguments: [0, 1, 255, 256, 65_536, UInt32.max])
  func references(_ uid: UInt32) throws {
    #expect(try PropertyList(parsing: PropertyList.uid(uid).serialized()) == .uid(uid))
  }

  @Test("Texts that resemble other types remain texts")
  func alike() throws {
    let texts = ["e\u{301}", "\u{E9}"]
    let list = try PropertyList(parsing: PropertyList.array(texts.map(PropertyList.string)).serialized())
    #expect(list.arrayValue?.map { Array($0.stringValue?.utf8 ?? "".utf8) } == texts.map { Array($0.utf8) })
  }

  @Test("A list truncated at any byte throws an error", arguments: values)
  func truncated(_ value: PropertyList) {
    let written = value.serialized()
    for length in stride(from: 0, to: written.count, by: written.count > 1000 ? 97 : 1) {
      #expect(throws: PropertyListError.self) {
        try PropertyList(parsing: Array(written.prefix(length)))
      }
    }
  }

  @Test("A changed byte causes at most a typed error")
  func changed() throws {
    let written = PropertyList.array(Self.values.filter { $0.serialized().count < 1000 }).serialized()
    for place in written.indices {
      for byte in [0, 1, 0x0F, 0x1F, 0x4F, 0x5F, 0x6F, 0x7F, 0x80, 0xAF, 0xDF, 0xFF] as [UInt8] {
        var changed = written
        changed[place] = byte
        do throws(PropertyListError) {
          _ = try PropertyList(parsing: changed)
        } catch {
          #expect(error.description.hasPrefix("The property list "))
        }
      }
    }
  }

  @Test("Nesting is read up to the limit and not beyond")
  func depth() throws {
    let limit = PropertyList.maximumDepth
    #expect(try PropertyList(parsing: BinaryPropertyListBuilder.nested(limit).bytes).arrayValue?.count == 1)
    for depth in [limit + 2, 1000, 60_000] {
      #expect(throws: PropertyListError.self) {
        try PropertyList(parsing: BinaryPropertyListBuilder.nested(depth).bytes)
      }
    }
  }

  @Test("The nesting limit also applies when the inner lists were read first")
  func depthOfShared() {
    // Each list holds the one before, and the first list holds them all, the innermost first.
    let depth = 250
    let inner = (1...depth).map { index in index == 1 ? [0xA0] : [0xA1, UInt8(index - 1)] }
    let all = [0xAF, 0x10, UInt8(depth)] + (1...depth).map { UInt8($0) }
    var list = BinaryPropertyListBuilder([all] + inner)
    list.offsetSize = 2
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: list.bytes) }
  }

  @Test("A small list that expands to a huge one throws an error")
  func blowUp() throws {
    // Each list holds the next one sixteen times.
    func list(_ levels: Int) -> BinaryPropertyListBuilder {
      BinaryPropertyListBuilder(
        (1...levels).map { [0xAF, 0x10, 16] + Array(repeating: UInt8($0), count: 16) } + [[0x51, 0x61]])
    }
    #expect(try PropertyList(parsing: list(3).bytes).arrayValue?.count == 16)
    for levels in [6, 20, 60] {
      #expect(throws: PropertyListError.self) { try PropertyList(parsing: list(levels).bytes) }
    }
  }

  @Test("Many objects at one offset throw an error")
  func sharedPlace() {
    let data: [UInt8] = [0x4F, 0x12, 0, 0x10, 0, 0] + Array(repeating: 0x41, count: 1 << 20)
    let count = 200
    let references = (1...count).map { UInt8($0) }
    var list = BinaryPropertyListBuilder([[0xAF, 0x10, UInt8(count)] + references, data])
    list.offsetSize = 4
    list.offsets = [8] + Array(repeating: 8 + 3 + count, count: count)
    list.count = UInt64(count + 1)
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: list.bytes) }
  }
}
