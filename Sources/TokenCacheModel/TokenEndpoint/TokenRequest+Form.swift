// SPDX-License-Identifier: MIT

/// The form of token requests.
extension TokenRequest {
  /// The names of the fields that a request may have by itself.
  static let fieldNames: Set<String> = [
    "grant_type", "client_id", "refresh_token", "resource", "scope", "client_info", "claims",
  ]

  /// Encodes fields as `application/x-www-form-urlencoded`, in order.
  ///
  /// It is for your own requests, such as the redemption of an authorization code. Every byte is escaped except the
  /// unreserved characters of RFC 3986 section 2.3, so that all decoders agree.
  public static func encode(_ form: [(name: String, value: String)]) -> String {
    form.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }

  private static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.append(Character(UnicodeScalar(byte)))
      default:
        encoded += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
    return encoded
  }
}
