// SPDX-License-Identifier: MIT

/// How MSAL for iOS and macOS puts the parts of a keychain item's attributes in their form and together.
enum KeychainText {
  /// A part in the form in which it stands in an attribute: in lower case, without white space at its ends.
  static func normalized(_ part: String) -> String {
    let scalars = part.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last]).lowercased()
  }

  /// Whether a part has nothing in it but white space.
  static func isBlank(_ part: String) -> Bool { part.unicodeScalars.allSatisfy(isSpace) }

  /// Puts parts together, each in its form; an empty one leaves its delimiter behind.
  static func joined(_ parts: [String]) -> String { parts.map(normalized).joined(separator: "-") }

  /// The account attribute of credentials and accounts.
  static func account(_ homeAccountID: String, environment: String) -> String {
    joined([homeAccountID, environment])
  }

  /// The service attribute of what is known of a client.
  static func appMetadataService(_ clientID: String) -> String { joined(["appmetadata", clientID]) }

  /// White space as Foundation counts it, which besides Unicode's is the zero width space.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{200B}"
  }
}
