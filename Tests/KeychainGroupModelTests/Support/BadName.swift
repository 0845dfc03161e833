// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

/// An invalid name of a group, a publisher or an app, and the text of the reason.
struct BadName: Sendable, CustomTestStringConvertible {
  let name: String
  let reason: String
  let testDescription: String

  private init(_ name: String, _ reason: String, _ what: String) {
    self.name = name
    self.reason = reason
    self.testDescription = what
  }

  private static let invalidCharacter = "other than ASCII letters, digits, '.', '-' and '_'"

  static let all: [BadName] = [
    BadName("", "empty", "empty"),
    BadName(String(repeating: "a", count: 201), "longer than 200 bytes", "201 bytes"),
    BadName(String(repeating: "a", count: 1_000_000), "longer than 200 bytes", "1 MB"),
    BadName(String(repeating: "é", count: 101), "longer than 200 bytes", "101 letters of two bytes"),
    BadName(".com.contoso.shared", "begins with a dot", "a leading dot"),
    BadName(".", "begins with a dot", "a dot"),
    BadName("..", "begins with a dot", "two dots"),
    BadName("com/contoso", invalidCharacter, "a slash"),
    BadName("../login", "begins with a dot", "a path upwards"),
    BadName("com\\contoso", invalidCharacter, "a backslash"),
    BadName("com.contoso\n", invalidCharacter, "a newline at the end"),
    BadName("com\ncontoso", invalidCharacter, "a newline"),
    BadName("com\r\ncontoso", invalidCharacter, "a carriage return and newline"),
    BadName("com\0contoso", invalidCharacter, "a null"),
    BadName("com\tcontoso", invalidCharacter, "a tab"),
    BadName("com\u{7F}contoso", invalidCharacter, "a delete"),
    BadName("com\u{1B}[31mcontoso", invalidCharacter, "a terminal's escape"),
    BadName(" ", invalidCharacter, "a space"),
    BadName("com contoso", invalidCharacter, "a space within"),
    BadName("com.contoso.shared ", invalidCharacter, "a space at the end"),
    BadName("com.contósö", invalidCharacter, "non-ASCII letters"),
    BadName("соm.contoso", invalidCharacter, "Cyrillic letters that look Latin"),
    BadName("com.contoso\u{301}", invalidCharacter, "a combining accent"),
    BadName("com．contoso", invalidCharacter, "a full-width dot"),
    BadName("com.contoso\u{200B}", invalidCharacter, "a zero-width space"),
    BadName("com.contoso\u{202E}", invalidCharacter, "a right-to-left override"),
    BadName("١٢٣", invalidCharacter, "digits outside ASCII"),
    BadName("$(AppIdentifierPrefix)com.contoso", invalidCharacter, "an unexpanded variable"),
    BadName("com.contoso.*", invalidCharacter, "a wildcard"),
    BadName("com:contoso", invalidCharacter, "a colon"),
    BadName("🔑", invalidCharacter, "an emoji"),
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
