// SPDX-License-Identifier: MIT

import FoundationEssentials

/// A text style of the terminal.
enum TextStyle: String {
  case bold = "1"
  case red = "31"
  case yellow = "33"

  /// Returns the text with the escape sequences of this style (ECMA-48, "select graphic rendition").
  func applied(to text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }

  /// Whether the output may be in colour.
  ///
  /// It may on a terminal with colours, unless `NO_COLOR` is set and not empty (https://no-color.org).
  static var isEnabled: Bool {
    let environment = ProcessInfo.processInfo.environment
    guard Printer.isTerminal, environment["TERM"] != "dumb" else { return false }
    return environment["NO_COLOR", default: ""].isEmpty
  }
}
