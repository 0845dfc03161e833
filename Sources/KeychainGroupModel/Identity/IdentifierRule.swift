// SPDX-License-Identifier: MIT

/// The characters and length that names in this package share: ASCII letters, digits, `.`, `-` and `_`.
///
/// They are what every Secret Service provider keeps unchanged in a collection's label, path and file name.
enum IdentifierRule {
  static let maximumBytes = 200

  /// Says why `text` is not a valid name, or `nil` when it is one.
  static func problem(with text: String) -> String? {
    if text.isEmpty { return "it is empty" }
    if text.utf8.count > maximumBytes { return "it is longer than \(maximumBytes) bytes" }
    if text.utf8.first == UInt8(ascii: ".") { return "it begins with a dot" }
    if !text.utf8.allSatisfy(isAllowed) {
      return "it holds a character other than ASCII letters, digits, '.', '-' and '_'"
    }
    return nil
  }

  /// Throws `invalidArgument` unless `text` is a valid name.
  static func check(_ text: String, what: String) throws(SecretStoreError) {
    if let problem = problem(with: text) {
      throw SecretStoreError(.invalidArgument, "The \(what) is not valid: \(problem).")
    }
  }

  /// Whether a name may hold the byte.
  static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
