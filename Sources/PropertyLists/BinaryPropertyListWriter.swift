// SPDX-License-Identifier: MIT

import FoundationEssentials

/// A writer of binary property lists, `bplist00`.
///
/// It writes equal strings once and refers to that object wherever they occur. Equal values produce equal bytes, so
/// that two exports of the same tokens can be compared. Foundation's bytes are different in each process: it writes the
/// keys of `["a": 1, "b": 2]` in the order of Swift's hashes, which have a random seed.
struct BinaryPropertyListWriter {
  private enum Object {
    case leaf(PropertyList)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  private var objects: [Object] = []
  private var texts: [[UInt8]: Int] = [:]
  private var output = BinaryPropertyListReader.magic + Array("00".utf8)
  private var referenceSize = 1

  /// Writes a value and everything in it.
  mutating func write(_ root: PropertyList) -> [UInt8] {
    _ = assignIndex(to: root)
    referenceSize = Self.size(of: UInt64(objects.count - 1))
    var offsets: [Int] = []
    for object in objects {
      offsets.append(output.count)
      write(object)
    }
    let table = output.count
    let offsetSize = Self.size(of: UInt64(table))
    for offset in offsets { append(UInt64(offset), size: offsetSize) }
    output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, 0, table] { append(UInt64(number), size: 8) }
    return output
  }

  /// Assigns object numbers to a value and everything in it, beginning with 0 for the top-level value.
  private mutating func assignIndex(to value: PropertyList) -> Int {
    switch value {
    case .array(let elements):
      let index = add(.array([]))
      objects[index] = .array(elements.map { assignIndex(to: $0) })
      return index
    case .dictionary(let members):
      let index = add(.dictionary(keys: [], values: []))
      let names = members.keys.sorted()
      let keys = names.map { assignIndex(to: .string($0)) }
      objects[index] = .dictionary(
        keys: keys, values: names.compactMap { members[$0].map { assignIndex(to: $0) } })
      return index
    case .string(let text):
      let index = texts[Array(text.utf8)] ?? add(.leaf(value))
      texts[Array(text.utf8)] = index
      return index
    default:
      return add(.leaf(value))
    }
  }

  private mutating func add(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  private mutating func write(_ object: Object) {
    switch object {
    case .leaf(let value): write(leaf: value)
    case .array(let elements):
      append(marker: 0xA0, count: elements.count)
      for index in elements { append(UInt64(index), size: referenceSize) }
    case .dictionary(let keys, let values):
      append(marker: 0xD0, count: keys.count)
      for index in keys + values { append(UInt64(index), size: referenceSize) }
    }
  }

  private mutating func write(leaf: PropertyList) {
    switch leaf {
    case .bool(let bool): output.append(bool ? 0x09 : 0x08)
    case .integer(let integer): append(integer)
    case .real(let number): append(0x23, number.bitPattern, size: 8)
    case .date(let date): append(0x33, date.timeIntervalSinceReferenceDate.bitPattern, size: 8)
    case .data(let data):
      append(marker: 0x40, count: data.count)
      output += data
    case .string(let text): append(text)
    case .uid(let uid):
      let size = Self.size(of: UInt64(uid))
      append(0x80 | UInt8(size - 1), UInt64(uid), size: size)
    case .array, .dictionary: break
    }
  }

  private mutating func append(_ text: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      append(marker: 0x50, count: text.utf8.count)
      output += Array(text.utf8)
    } else {
      append(marker: 0x60, count: text.utf16.count)
      for unit in text.utf16 { append(UInt64(unit), size: 2) }
    }
  }

  private mutating func append(_ integer: Int64) {
    let size = integer < 0 ? 8 : Self.size(of: UInt64(integer))
    append(0x10 | UInt8(size.trailingZeroBitCount), UInt64(bitPattern: integer), size: size)
  }

  private mutating func append(marker: UInt8, count: Int) {
    if count < 15 {
      output.append(marker | UInt8(count))
    } else {
      output.append(marker | 0xF)
      append(Int64(count))
    }
  }

  private mutating func append(_ marker: UInt8, _ bits: UInt64, size: Int) {
    output.append(marker)
    append(bits, size: size)
  }

  /// Appends the lowest `size` bytes of a number in big-endian order.
  private mutating func append(_ number: UInt64, size: Int) {
    for byte in (0..<size).reversed() { output.append(UInt8(truncatingIfNeeded: number >> (byte * 8))) }
  }

  /// Returns the number of bytes that a number takes: 1, 2, 4 or 8.
  private static func size(of number: UInt64) -> Int {
    number < 1 << 8 ? 1 : number < 1 << 16 ? 2 : number < 1 << 32 ? 4 : 8
  }
}
