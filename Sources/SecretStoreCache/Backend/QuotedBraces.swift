// SPDX-License-Identifier: MIT

/// Keeps text in braces as it is on every provider: KeePassXC replaces `{TITLE}` or `{REF:…}` in what it stores as text,
/// and it takes JSON for text.
enum QuotedBraces {
  /// The same JSON, with `\u007b` for each opening brace inside a string.
  static func escaped(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    // Room for all of it: what is outgrown would stay in memory.
    bytes.reserveCapacity(json.count + 5 * json.count { $0 == UInt8(ascii: "{") })
    var isInString = false
    var isEscaped = false
    for byte in json {
      if isInString, byte == UInt8(ascii: "{") {
        bytes += Array("\\u007b".utf8)
        continue
      }
      bytes.append(byte)
      if isEscaped {
        isEscaped = false
      } else if isInString, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      }
    }
    return bytes
  }
}
