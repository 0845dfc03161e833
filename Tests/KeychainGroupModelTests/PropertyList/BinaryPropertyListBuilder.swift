// SPDX-License-Identifier: MIT

/// Builds a binary property list, valid or not.
struct BinaryPropertyListBuilder {
  var header = Array("bplist00".utf8)
  var objects: [[UInt8]]
  var offsets: [Int]?
  var offsetSize = 1
  var referenceSize = 1
  var count: UInt64?
  var top: UInt64 = 0
  var table: UInt64?
  var filler: [UInt8] = []

  init(_ objects: [[UInt8]]) { self.objects = objects }

  var bytes: [UInt8] {
    var bytes = header
    var places: [Int] = []
    for object in objects {
      places.append(bytes.count)
      bytes += object
    }
    let start = UInt64(bytes.count)
    for place in offsets ?? places { bytes += Self.number(UInt64(place), offsetSize) }
    bytes += filler + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [count ?? UInt64(places.count), top, table ?? start] { bytes += Self.number(number, 8) }
    return bytes
  }

  static func number(_ number: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: number >> ($0 * 8)) : 0 }
  }

  /// Nested arrays of a depth, with references of two bytes.
  static func nested(_ depth: Int) -> BinaryPropertyListBuilder {
    var list = BinaryPropertyListBuilder((1..<depth).map { [0xA1] + number(UInt64($0), 2) } + [[0xA0]])
    list.offsetSize = 2
    list.referenceSize = 2
    return list
  }
}
