// SPDX-License-Identifier: MIT

import Crypto
import Foundation

/// Unguessable text, and what is done with it.
enum RandomText {
  /// 256 bits of the system's cryptographically secure generator, as 43 characters that need no escaping.
  static func make() -> String {
    base64URL((0..<32).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// Base64 with the URL-safe alphabet and no padding (RFC 7636 appendix A).
  static func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Whether the text is the secret one, in a time that tells nothing of how much of it is right: digests are
  /// compared in constant time.
  static func isSame(_ text: String?, as secret: String) -> Bool {
    SHA256.hash(data: Data((text ?? "").utf8)) == SHA256.hash(data: Data(secret.utf8))
  }
}
