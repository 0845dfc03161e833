// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A reader of the output of .NET's `BinaryWriter`: little-endian integers, and bytes preceded by their count.
struct DotNetStream {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes left.
  var rest: Int { bytes.count - position }

  /// Reads a 32-bit integer.
  mutating func integer() throws(SecretStoreError) -> Int32 {
    let number = try readBytes(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Int32(bitPattern: number)
  }

  /// Reads the bytes of a string.
  ///
  /// Their count is encoded in groups of seven bits, the lowest first. The highest bit of a byte is set when
  /// another byte follows.
  mutating func text() throws(SecretStoreError) -> ArraySlice<UInt8> {
    var count: UInt64 = 0
    for group in 0..<5 {
      let byte = try readBytes(1).first ?? 0
      count |= UInt64(byte & 0x7F) << UInt64(group * 7)
      if byte < 0x80 { return try readBytes(Int(clamping: count)) }
    }
    throw SecretStoreError(.invalidFile, "The stream has a text whose length is malformed.")
  }

  private mutating func readBytes(_ count: Int) throws(SecretStoreError) -> ArraySlice<UInt8> {
    guard count <= rest else {
      throw SecretStoreError(.invalidFile, "The stream is cut off, or has a text longer than itself.")
    }
    defer { position += count }
    return bytes[position..<(position + count)]
  }
}
