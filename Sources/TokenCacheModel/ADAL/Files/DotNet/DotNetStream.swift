// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// Reads what .NET's `BinaryWriter` wrote: integers with the lowest byte first, and bytes behind their count.
struct DotNetStream {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// How many bytes are left.
  var rest: Int { bytes.count - position }

  /// Reads an integer of four bytes.
  mutating func integer() throws(SecretStoreError) -> Int32 {
    let number = try take(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Int32(bitPattern: number)
  }

  /// Reads the bytes of a text.
  ///
  /// Their count is written in groups of seven bits, the lowest first; a byte with the highest bit set is followed by
  /// another one.
  mutating func text() throws(SecretStoreError) -> ArraySlice<UInt8> {
    var count: UInt64 = 0
    for group in 0..<5 {
      let byte = try take(1).first ?? 0
      count |= UInt64(byte & 0x7F) << UInt64(group * 7)
      if byte < 0x80 { return try take(Int(clamping: count)) }
    }
    throw SecretStoreError(.corruptItem, "The stream has a text whose length is malformed.")
  }

  private mutating func take(_ count: Int) throws(SecretStoreError) -> ArraySlice<UInt8> {
    guard count <= rest else {
      throw SecretStoreError(.corruptItem, "The stream is cut off, or has a text longer than itself.")
    }
    defer { position += count }
    return bytes[position..<(position + count)]
  }
}
