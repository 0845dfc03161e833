// SPDX-License-Identifier: MIT

/// Escapes braces in stored JSON so that KeePassXC keeps them.
///
/// KeePassXC treats JSON as text and replaces placeholders such as `{TITLE}` or `{REF:…}` in it.
enum KeePassXCEscaping {
  /// Returns the same JSON with `\u007b` for each opening brace inside a string.
  static func escaped(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    // Reserve the final size: a reallocation would leave an unwiped copy in memory.
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
