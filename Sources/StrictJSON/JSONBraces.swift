// SPDX-License-Identifier: MIT

/// The opening braces inside the strings of JSON.
///
/// KeePassXC, as a Secret Service, treats JSON as text and replaces placeholders such as `{TITLE}` or `{REF:…}` in it.
/// It keeps a brace that is escaped.
package enum JSONBraces {
  private static let escape = Array("\\u007b".utf8)

  /// Returns the same JSON with `\u007b` for each opening brace inside a string.
  package static func escaped(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    // Reserve the final size: a reallocation would leave an unwiped copy in memory.
    bytes.reserveCapacity(json.count + (escape.count - 1) * json.count { $0 == UInt8(ascii: "{") })
    visit(json) { byte, isEscaped in
      if isEscaped { bytes += escape } else { bytes.append(byte) }
    }
    return bytes
  }

  /// Returns the number of bytes of ``escaped(_:)``, without a copy of the JSON.
  package static func escapedCount(_ json: [UInt8]) -> Int {
    var count = json.count
    visit(json) { _, isEscaped in if isEscaped { count += escape.count - 1 } }
    return count
  }

  /// Calls `body` with each byte, and whether it is an opening brace inside a string.
  private static func visit(_ json: [UInt8], _ body: (UInt8, Bool) -> Void) {
    var isInString = false
    var isAfterBackslash = false
    for byte in json {
      body(byte, isInString && byte == UInt8(ascii: "{"))
      if isAfterBackslash {
        isAfterBackslash = false
      } else if isInString, byte == UInt8(ascii: "\\") {
        isAfterBackslash = true
      } else if byte == UInt8(ascii: "\"") {
        isInString.toggle()
      }
    }
  }
}
