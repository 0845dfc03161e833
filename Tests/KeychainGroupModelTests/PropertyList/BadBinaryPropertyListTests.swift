// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@testable import PropertyLists

@Suite("Malformed binary property lists")
struct BadBinaryPropertyListTests {
  struct Bad: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ objects: [[UInt8]], _ change: (inout BinaryPropertyListBuilder) -> Void = { _ in })
    {
      var list = BinaryPropertyListBuilder(objects)
      change(&list)
      self.name = name
      bytes = list.bytes
    }
  }

  private static let text: [UInt8] = [0x51, 0x61]

  private static let objects = [
    Bad("null", [[0x00]]), Bad("filler", [[0x0F]]), Bad("a set", [[0xC1, 1], text]),
    Bad("an unknown kind", [[0x70]]),
    Bad("an integer of 32 bytes", [[0x15] + BinaryPropertyListBuilder.number(1, 32)]),
    Bad(
      "an integer beyond 64 bits",
      [[0x14] + BinaryPropertyListBuilder.number(1, 8) + BinaryPropertyListBuilder.number(1, 8)]),
    Bad(
      "an unsigned integer beyond 63 bits",
      [[0x14] + BinaryPropertyListBuilder.number(0, 8) + BinaryPropertyListBuilder.number(.max, 8)]),
    Bad("a real of one byte", [[0x20, 0]]),
    Bad("a real that is none", [[0x23] + BinaryPropertyListBuilder.number(.max, 8)]),
    Bad("an infinite real", [[0x22, 0x7F, 0x80, 0, 0]]),
    Bad("an infinite date", [[0x33, 0x7F, 0xF0] + BinaryPropertyListBuilder.number(0, 6)]),
    Bad("a date of four bytes", [[0x32, 0, 0, 0, 0]]),
    Bad("a reference of 16 bytes", [[0x8F] + Array(repeating: 1, count: 16)]),
    Bad("a reference beyond 32 bits", [[0x84, 1, 0, 0, 0, 0]]),
    Bad("text beyond ASCII", [[0x51, 0xE9]]), Bad("half a surrogate pair", [[0x61, 0xD8, 0x00]]),
    Bad("text longer than the list", [[0x5E, 0x61]]),
    Bad("text as long as the list", [[0x5F, 0x13] + BinaryPropertyListBuilder.number(.max, 8)]),
    Bad("text of a negative length", [[0x5F, 0x13] + BinaryPropertyListBuilder.number(1 << 63, 8)]),
    Bad("a length of 16 bytes", [[0x5F, 0x14] + BinaryPropertyListBuilder.number(1, 16) + [0x61]]),
    Bad("a length that is text", [[0x5F, 0x51, 0x61]]), Bad("a length that is cut off", [[0x5F]]),
    Bad("data longer than the list", [[0x4F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]]),
    Bad("an array longer than the list", [[0xAF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]]),
    Bad("a dictionary longer than the list", [[0xDF, 0x13] + BinaryPropertyListBuilder.number(1 << 62, 8)]),
    Bad("a dictionary without its values", [[0xD1, 1], text]),
    Bad("a key that is a number", [[0xD1, 1, 1], [0x10, 1]]),
    Bad("a key twice", [[0xD2, 1, 2, 1, 1], text, text]),
    Bad("a key twice, in two spellings", [[0xD2, 1, 2, 1, 1], [0x61, 0, 0xE9], [0x62, 0, 0x65, 3, 1]]),
    Bad("an array that holds itself", [[0xA1, 0]]),
    Bad("two arrays that hold each other", [[0xA1, 1], [0xA1, 0]]),
    Bad("a dictionary that holds itself", [[0xD1, 1, 0], text]),
    Bad("an object that is not there", [[0xA1, 2], text]),
  ]

  private static let frames = [
    Bad("another version", [text]) { $0.header = Array("bplist01".utf8) },
    Bad("no object", []), Bad("no objects by the trailer", [text]) { $0.count = 0 },
    Bad("more objects than places", [text]) { $0.count = 2 },
    Bad("fewer objects than places", [text, text]) { $0.count = 1 },
    Bad("a huge count", [text]) { $0.count = .max },
    Bad("a count that overflows", [text]) { $0.count = UInt64(Int.max) },
    Bad("a top that is not there", [text]) { $0.top = 1 }, Bad("a huge top", [text]) { $0.top = .max },
    Bad("a table beyond the list", [text]) { $0.table = 10_000 },
    Bad("a huge table", [text]) { $0.table = .max }, Bad("a table in the header", [text]) { $0.table = 4 },
    Bad("bytes after the table", [text]) { $0.filler = [0] },
    Bad("places of no bytes", [text]) { $0.offsetSize = 0 },
    Bad("places of nine bytes", [text]) { $0.offsetSize = 9 },
    Bad("references of no bytes", [text]) { $0.referenceSize = 0 },
    Bad("references of nine bytes", [text]) { $0.referenceSize = 9 },
    Bad("an object in the header", [text]) { $0.offsets = [0] },
    Bad("an object in the table", [text]) { $0.offsets = [10] },
    Bad("an object beyond the list", [text]) { $0.offsets = [200] },
  ]

  @Test("A malformed list throws an error", arguments: objects + frames)
  func refuses(_ bad: Bad) {
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: bad.bytes) }
  }

  @Test("The lists from which the malformed ones are made are valid")
  func good() throws {
    let list = BinaryPropertyListBuilder([
      [0xD1, 1, 2], Self.text, [0xA2, 1, 3], [0x14] + BinaryPropertyListBuilder.number(5, 16),
    ])
    #expect(
      try PropertyList(parsing: list.bytes) == .dictionary(["a": .array([.string("a"), .integer(5)])]))
  }

  private static let set = BinaryPropertyListBuilder([[0xC1, 1], [0x10, 5]]).bytes
  private static let array = BinaryPropertyListBuilder([[0xA1, 1], [0x10, 5]]).bytes

  /// Reads a list as Foundation does; an error that it throws doesn't end the process.
  private static func readByFoundation(_ bytes: [UInt8]) {
    _ = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
  }

  @Test("A set ends the process in Foundation's reader, and is an error in this one")
  func setInFoundation() async {
    await #expect(processExitsWith: .success) { Self.readByFoundation(Self.array) }
    await #expect(processExitsWith: .failure) { Self.readByFoundation(Self.set) }
    #expect(throws: PropertyListError.self) { try PropertyList(parsing: Self.set) }
  }

  @Test("An error shows no content of the list")
  func redaction() throws {
    let bytes = BinaryPropertyListBuilder([[0xD2, 1, 1, 1, 1], [0x58] + Array("hunter!2".utf8)]).bytes
    let error = #expect(throws: PropertyListError.self) { try PropertyList(parsing: bytes) }
    #expect(error.map { !"\($0)".contains("hunter") } == true)
    #expect("\(PropertyList.string("hunter!2"))" == "PropertyList(redacted)")
  }
}
