// SPDX-License-Identifier: MIT

import FoundationEssentials

extension BinaryPropertyListReader {
  /// Reads the object at an offset: a marker byte that gives its type, and its content.
  mutating func value(at start: Int, depth: Int) throws(PropertyListError) -> Object {
    let marker = bytes[start]
    switch (marker >> 4, marker & 0xF) {
    case (0x0, 0x8): return Object(.bool(false))
    case (0x0, 0x9): return Object(.bool(true))
    case (0x1, let power) where power <= 4:
      return Object(.integer(try integer(at: start + 1, 1 << Int(power))))
    case (0x2, 0x2):
      let bits = try UInt32(truncatingIfNeeded: bits(at: start + 1, 4))
      return Object(.real(try finite(Double(Float(bitPattern: bits)))))
    case (0x2, 0x3): return Object(.real(try double(at: start + 1)))
    case (0x3, 0x3):
      return Object(.date(Date(timeIntervalSinceReferenceDate: try double(at: start + 1))))
    case (0x4, _):
      let (count, begin) = try count(at: start)
      try addWeight(count)
      return Object(.data(Array(try payload(at: begin, count: count))), payload: count)
    case (0x5, _): return try ascii(at: start)
    case (0x6, _): return try utf16(at: start)
    case (0x8, let size):
      guard let number = Self.number(try payload(at: start + 1, count: Int(size) + 1)),
        let uid = UInt32(exactly: number)
      else { throw PropertyList.problem("has a reference that is too large") }
      return Object(.uid(uid))
    case (0xA, _): return try array(at: start, depth: depth)
    case (0xD, _): return try dictionary(at: start, depth: depth)
    default: throw PropertyList.problem("has an object of an unknown kind")
    }
  }

  /// Returns the number of elements of an object, and the offset where they begin.
  private func count(at start: Int) throws(PropertyListError) -> (count: Int, begin: Int) {
    let nibble = Int(bytes[start] & 0xF)
    if nibble < 15 { return (nibble, start + 1) }
    guard let marker = try payload(at: start + 1, count: 1).first, marker >> 4 == 1, marker & 0xF <= 3 else {
      throw PropertyList.problem("has an object without a length")
    }
    let size = 1 << Int(marker & 0xF)
    guard let count = Self.number(try payload(at: start + 2, count: size)), count <= bytes.count else {
      throw PropertyList.problem("has an object that is longer than the list")
    }
    return (count, start + 2 + size)
  }

  private func bits(at start: Int, _ size: Int) throws(PropertyListError) -> UInt64 {
    try payload(at: start, count: size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads an integer.
  ///
  /// Sizes of 1, 2 and 4 bytes are unsigned, 8 bytes are signed, and 16 bytes must be non-negative and fit into
  /// `Int64`.
  private func integer(at start: Int, _ size: Int) throws(PropertyListError) -> Int64 {
    if size < 8 { return Int64(try bits(at: start, size)) }
    if size == 8 { return Int64(bitPattern: try bits(at: start, 8)) }
    guard try bits(at: start, 8) == 0, let integer = Int64(exactly: try bits(at: start + 8, 8)) else {
      throw PropertyList.problem("has an integer that is too large")
    }
    return integer
  }

  private func double(at start: Int) throws(PropertyListError) -> Double {
    try finite(Double(bitPattern: try bits(at: start, 8)))
  }

  private func finite(_ number: Double) throws(PropertyListError) -> Double {
    guard number.isFinite else { throw PropertyList.problem("has a number that is none") }
    return number
  }

  private mutating func ascii(at start: Int) throws(PropertyListError) -> Object {
    let (count, begin) = try count(at: start)
    try addWeight(count)
    let text = try payload(at: begin, count: count)
    guard text.allSatisfy({ $0 < 0x80 }) else { throw PropertyList.problem("has malformed text") }
    return Object(.string(String(decoding: text, as: UTF8.self)), payload: count)
  }

  private mutating func utf16(at start: Int) throws(PropertyListError) -> Object {
    let (count, begin) = try count(at: start)
    try addWeight(count * 2)
    let text = try payload(at: begin, count: count * 2)
    let units = stride(from: begin, to: text.endIndex, by: 2).map { offset in
      UInt16(text[offset]) << 8 | UInt16(text[offset + 1])
    }
    guard let string = String(validating: units, as: UTF16.self) else {
      throw PropertyList.problem("has malformed text")
    }
    return Object(.string(string), payload: string.utf8.count)
  }

  private mutating func array(at start: Int, depth: Int) throws(PropertyListError) -> Object {
    let (count, begin) = try count(at: start)
    let elements = try objects(at: begin, count: count, depth: depth)
    return Object(
      .array(elements.map(\.value)), height: Self.height(over: elements), payload: Self.weight(of: elements))
  }

  private mutating func dictionary(at start: Int, depth: Int) throws(PropertyListError) -> Object {
    let (count, begin) = try count(at: start)
    let keys = try objects(at: begin, count: count, depth: depth)
    let values = try objects(at: begin + count * referenceSize, count: count, depth: depth)
    var members: [String: PropertyList] = Dictionary(minimumCapacity: count)
    for (key, value) in zip(keys, values) {
      guard let name = key.value.stringValue else { throw PropertyList.problem("has a key that is not text") }
      guard members.updateValue(value.value, forKey: name) == nil else {
        throw PropertyList.problem("has a key twice")
      }
    }
    return Object(
      .dictionary(members), height: Self.height(over: values),
      payload: Self.weight(of: keys) + Self.weight(of: values))
  }

  /// Reads the objects that the object numbers at an offset refer to.
  private mutating func objects(
    at start: Int, count: Int, depth: Int
  ) throws(PropertyListError) -> [Object] {
    let numbers = try payload(at: start, count: count * referenceSize)
    try addWeight(count * PropertyList.weightOfValue)
    var objects: [Object] = []
    objects.reserveCapacity(count)
    for offset in stride(from: start, to: numbers.endIndex, by: referenceSize) {
      guard let index = Self.number(numbers[offset..<(offset + referenceSize)]) else {
        throw PropertyList.problem("refers to an object that it lacks")
      }
      objects.append(try object(index, depth: depth + 1))
    }
    return objects
  }

  private static func height(over objects: [Object]) -> Int {
    1 + (objects.map(\.height).max() ?? 0)
  }

  /// Returns the total weight of the objects.
  ///
  /// The sum cannot overflow: each weight and the number of objects are limited.
  private static func weight(of objects: [Object]) -> Int {
    objects.reduce(0) { $0 + $1.weight }
  }
}
