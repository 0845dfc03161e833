// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Base64 with the URL-safe alphabet (RFC 4648 section 5), with or without padding, as in JWTs and `client_info`.
enum Base64URL {
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var standard = ""
    standard.reserveCapacity(text.utf8.count + 3)
    for character in text {
      switch character {
      case "-": standard.append("+")
      case "_": standard.append("/")
      case "=": break
      default: standard.append(character)
      }
    }
    while standard.utf8.count % 4 != 0 { standard.append("=") }
    return Data(base64Encoded: standard).map(Array.init)
  }

  /// Encodes bytes without padding.
  static func encode(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { character -> Character? in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }
}
