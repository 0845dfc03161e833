// SPDX-License-Identifier: MIT

import FoundationEssentials
import TokenCacheModel

extension JSONValue {
  /// The value as a JSON document in base64url without padding: a `client_info`, or a part of a JWT.
  var base64URL: String { serialized().base64URL }

  /// An id token with this value as its payload.
  var idToken: String { "\(JSONValue.object(["alg": "none"]).base64URL).\(base64URL).signature" }
}

extension Sequence<UInt8> {
  /// The bytes in base64url without padding.
  var base64URL: String {
    String(
      Data(self).base64EncodedString().compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }
}
