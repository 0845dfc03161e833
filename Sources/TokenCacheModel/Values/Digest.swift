// SPDX-License-Identifier: MIT

import Crypto

/// Digests for names: attributes and keys that must not show what they stand for.
package enum Digest {
  /// SHA-256 of the text's UTF-8, as 64 lower-case hexadecimal digits.
  package static func hex(_ text: String) -> String {
    let digits = Array("0123456789abcdef")
    var result = ""
    for byte in SHA256.hash(data: Array(text.utf8)) {
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
    return result
  }
}
