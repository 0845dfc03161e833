// SPDX-License-Identifier: MIT

/// Reads binary property lists, `bplist00`.
///
/// The file is a heap of objects, a table of their places, and a trailer that says where the table is. Objects refer
/// to each other by their numbers. Every place and every length is checked before it is used; each object is read once.
struct BinaryPropertyListReader {
  /// What the file begins with.
  static let magic = Array("bplist".utf8)

  private static let trailerSize = 32

  /// An object, with what it takes to bound the whole: how deep it goes, and what it weighs.
  struct Object {
    let value: PropertyList
    let height: Int
    let weight: Int

    init(_ value: PropertyList, height: Int = 0, payload: Int = 0) {
      self.value = value
      self.height = height
      weight = PropertyList.weightOfValue + payload
    }
  }

  private enum Slot {
    case unread
    case open
    case read(Object)
  }

  let bytes: [UInt8]
  let referenceSize: Int
  private let offsetSize: Int
  private let top: Int
  private let table: Int
  private var slots: [Slot]
  private var charged = 0

  /// Reads the trailer.
  init(_ bytes: [UInt8]) throws(SecretStoreError) {
    let header = Self.magic + Array("00".utf8)
    guard bytes.starts(with: header), bytes.count >= header.count + Self.trailerSize else {
      throw PropertyList.problem("is cut off, or of another version than bplist00")
    }
    let trailer = bytes.count - Self.trailerSize
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
      let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
      let top = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
      let table = Self.number(bytes[(trailer + 24)..<(trailer + 32)]),
      table > header.count, table <= trailer, top < count,
      count <= (trailer - table) / offsetSize, count * offsetSize == trailer - table
    else { throw PropertyList.problem("has a trailer that does not fit it") }
    guard count <= PropertyList.maximumWeight / PropertyList.weightOfValue else {
      throw PropertyList.problem("has too many objects")
    }
    self.top = top
    self.table = table
    slots = Array(repeating: .unread, count: count)
  }

  /// Reads the value that all others are part of.
  mutating func root() throws(SecretStoreError) -> PropertyList {
    try object(top, depth: 0).value
  }

  /// Reads an object by its number.
  mutating func object(_ index: Int, depth: Int) throws(SecretStoreError) -> Object {
    guard index < slots.count else { throw PropertyList.problem("refers to an object that it lacks") }
    guard depth <= PropertyList.maximumDepth else { throw Self.tooDeep }
    switch slots[index] {
    case .read(let object): return object
    case .open: throw PropertyList.problem("has an object that holds itself")
    case .unread: break
    }
    slots[index] = .open
    let place = table + index * offsetSize
    guard let start = Self.number(bytes[place..<(place + offsetSize)]), start >= 8, start < table else {
      throw PropertyList.problem("has an object outside of its bounds")
    }
    let object = try value(at: start, depth: depth)
    guard object.height <= PropertyList.maximumDepth else { throw Self.tooDeep }
    guard object.weight <= PropertyList.maximumWeight else { throw Self.tooHeavy }
    slots[index] = .read(object)
    return object
  }

  static var tooDeep: SecretStoreError {
    PropertyList.problem("has more than \(PropertyList.maximumDepth) levels")
  }

  private static var tooHeavy: SecretStoreError {
    PropertyList.problem("holds more than \(PropertyList.maximumWeight) bytes")
  }

  /// Counts what is about to be read: many objects may lie in one place.
  mutating func charge(_ weight: Int) throws(SecretStoreError) {
    charged += weight
    guard charged <= PropertyList.maximumWeight else { throw Self.tooHeavy }
  }

  /// The bytes at a place among the objects.
  func payload(at start: Int, count: Int) throws(SecretStoreError) -> ArraySlice<UInt8> {
    guard start <= table, count <= table - start else {
      throw PropertyList.problem("has an object that is longer than the list")
    }
    return bytes[start..<(start + count)]
  }

  /// A number without sign, the highest byte first; `nil` when it is beyond what a place or a count can be.
  static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    var number: UInt64 = 0
    for byte in bytes {
      guard number < 1 << 55 else { return nil }
      number = number << 8 | UInt64(byte)
    }
    return Int(exactly: number)
  }
}
