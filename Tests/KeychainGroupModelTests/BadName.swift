// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

/// A name that no group, publisher or app may have, and the words that say why.
struct BadName: Sendable, CustomTestStringConvertible {
  let name: String
  let reason: String
  let testDescription: String

  private init(_ name: String, _ reason: String, _ what: String) {
    self.name = name
    self.reason = reason
    self.testDescription = what
  }

  private static let strange = "other than ASCII letters, digits, '.', '-' and '_'"

  static let all: [BadName] = [
    BadName("", "empty", "empty"),
    BadName(String(repeating: "a", count: 201), "longer than 200 bytes", "201 bytes"),
    BadName(String(repeating: "a", count: 1_000_000), "longer than 200 bytes", "1 MB"),
    BadName(String(repeating: "é", count: 101), "longer than 200 bytes", "101 letters of two bytes"),
    BadName(".com.contoso.shared", "begins with a dot", "a leading dot"),
    BadName(".", "begins with a dot", "a dot"),
    BadName("..", "begins with a dot", "two dots"),
    BadName("com/contoso", strange, "a slash"),
    BadName("../login", "begins with a dot", "a path upwards"),
    BadName("com\\contoso", strange, "a backslash"),
    BadName("com.contoso\n", strange, "a newline at the end"),
    BadName("com\ncontoso", strange, "a newline"),
    BadName("com\r\ncontoso", strange, "a carriage return and newline"),
    BadName("com\0contoso", strange, "a null"),
    BadName("com\tcontoso", strange, "a tab"),
    BadName("com\u{7F}contoso", strange, "a delete"),
    BadName("com\u{1B}[31mcontoso", strange, "a terminal's escape"),
    BadName(" ", strange, "a space"),
    BadName("com contoso", strange, "a space within"),
    BadName("com.contoso.shared ", strange, "a space at the end"),
    BadName("com.contósö", strange, "non-ASCII letters"),
    BadName("соm.contoso", strange, "Cyrillic letters that look Latin"),
    BadName("com.contoso\u{301}", strange, "a combining accent"),
    BadName("com．contoso", strange, "a full-width dot"),
    BadName("com.contoso\u{200B}", strange, "a zero-width space"),
    BadName("com.contoso\u{202E}", strange, "a right-to-left override"),
    BadName("١٢٣", strange, "digits outside ASCII"),
    BadName("$(AppIdentifierPrefix)com.contoso", strange, "an unexpanded variable"),
    BadName("com.contoso.*", strange, "a wildcard"),
    BadName("com:contoso", strange, "a colon"),
    BadName("🔑", strange, "an emoji"),
  ]

  static let good = [
    "a", "com.microsoft.adalcache", "com.contoso.shared", "contoso", "UBF8T346G9", "a-b_c.D9", "-", "_", "a.",
    "a..b", "0", String(repeating: "a", count: 200),
  ]

  /// Checks that a throwing initializer refuses the name, and why.
  func expectRefusal(as what: String, _ make: (String) throws -> Void) throws {
    let error = try #require(throws: SecretStoreError.self) { try make(name) }
    #expect(error.code == .invalidArgument)
    #expect(error.detail.contains(what))
    #expect(error.detail.contains(reason))
    #expect(error.detail.utf8.count < 300, "a bad name of 1 MB is not repeated")
  }
}
