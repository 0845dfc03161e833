// SPDX-License-Identifier: MIT

/// A reader of binary property lists, `bplist00`.
///
/// The file is a list of objects, a table of their offsets, and a trailer that locates the table. Objects refer to
/// each other by number. The reader checks every offset and length before it uses it, and reads each object once.
struct BinaryPropertyListReader {
  /// The bytes that the file begins with.
  static let magic = Array("bplist".utf8)

  private static let trailerSize = 32

  /// An object, with its nesting depth (`height`) and its weight, which limit the size of the whole list.
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
  private var weight = 0

  /// Reads the trailer.
  ///
  /// - Throws: when the version is not `bplist00`, or the trailer does not fit the file.
  init(_ bytes: [UInt8]) throws(PropertyListError) {
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

  /// Reads the top-level value.
  mutating func root() throws(PropertyListError) -> PropertyList {
    try object(top, depth: 0).value
  }

  /// Reads an object by its number.
  ///
  /// - Throws: when the object is missing, contains itself, or exceeds the limits of depth and weight.
  mutating func object(_ index: Int, depth: Int) throws(PropertyListError) -> Object {
    guard index < slots.count else { throw PropertyList.problem("refers to an object that it lacks") }
    guard depth <= PropertyList.maximumDepth else { throw Self.tooDeep }
    switch slots[index] {
    case .read(let object): return object
    case .open: throw PropertyList.problem("has an object that holds itself")
    case .unread: break
    }
    slots[index] = .open
    let offset = table + index * offsetSize
    guard let start = Self.number(bytes[offset..<(offset + offsetSize)]), start >= 8, start < table else {
      throw PropertyList.problem("has an object outside of its bounds")
    }
    let object = try value(at: start, depth: depth)
    guard object.height <= PropertyList.maximumDepth else { throw Self.tooDeep }
    guard object.weight <= PropertyList.maximumWeight else { throw Self.tooHeavy }
    slots[index] = .read(object)
    return object
  }

  static var tooDeep: PropertyListError {
    PropertyList.problem("has more than \(PropertyList.maximumDepth) levels")
  }

  private static var tooHeavy: PropertyListError {
    PropertyList.problem("holds more than \(PropertyList.maximumWeight) bytes")
  }

  /// Adds a weight to the total that was read.
  ///
  /// Several objects may share one offset, so the total can exceed the file's size.
  mutating func addWeight(_ weight: Int) throws(PropertyListError) {
    self.weight += weight
    guard self.weight <= PropertyList.maximumWeight else { throw Self.tooHeavy }
  }

  /// Returns the bytes of an object at an offset, which must lie before the offset table.
  func payload(at start: Int, count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
    guard start <= table, count <= table - start else {
      throw PropertyList.problem("has an object that is longer than the list")
    }
    return bytes[start..<(start + count)]
  }

  /// Reads an unsigned big-endian number, or returns `nil` when it is too large for an offset or a count.
  static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    var number: UInt64 = 0
    for byte in bytes {
      guard number < 1 << 55 else { return nil }
      number = number << 8 | UInt64(byte)
    }
    return Int(exactly: number)
  }
}
