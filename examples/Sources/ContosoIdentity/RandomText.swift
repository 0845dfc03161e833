// SPDX-License-Identifier: MIT

import CGLib
import Foundation

/// Random text for secrets, and its encoding and comparison.
enum RandomText {
  /// Returns 256 bits of the system's cryptographically secure generator, as 43 characters that need no escaping.
  static func make() -> String {
    base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Returns the Base64 encoding with the URL-safe alphabet and without padding (RFC 7636 appendix A).
  static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Returns the SHA-256 of a text.
  static func digest(of text: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    var count = UInt(digest.count)
    let checksum = unsafe g_checksum_new(G_CHECKSUM_SHA256)
    unsafe g_checksum_update(checksum, Array(text.utf8), text.utf8.count)
    unsafe g_checksum_get_digest(checksum, &digest, &count)
    unsafe g_checksum_free(checksum)
    return digest
  }

  /// Returns whether the text equals the secret.
  ///
  /// Digests are compared, so the time does not reveal how much of the text is correct.
  static func isSame(_ text: String?, as secret: String) -> Bool {
    digest(of: text ?? "") == digest(of: secret)
  }
}
