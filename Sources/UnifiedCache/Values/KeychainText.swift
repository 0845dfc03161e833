// SPDX-License-Identifier: MIT

/// The rules by which MSAL for iOS and macOS forms the attributes of keychain items.
package enum KeychainText {
  /// Returns a part in its stored form: in lower case, without leading and trailing white space.
  package static func normalized(_ part: String) -> String {
    let scalars = part.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last]).lowercased()
  }

  /// Whether a part is empty or white space only.
  package static func isBlank(_ part: String) -> Bool { part.unicodeScalars.allSatisfy(isSpace) }

  /// Joins parts in their stored form; an empty part keeps its delimiter.
  package static func joined(_ parts: [String]) -> String { parts.map(normalized).joined(separator: "-") }

  /// Returns the account attribute of credentials and accounts.
  package static func account(_ homeAccountID: String, environment: String) -> String {
    joined([homeAccountID, environment])
  }

  /// Returns the service attribute of a client's metadata.
  package static func appMetadataService(_ clientID: String) -> String { joined(["appmetadata", clientID]) }

  /// Whether Foundation counts a scalar as white space: Unicode's white space and the zero width space.
  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{200B}"
  }
}
