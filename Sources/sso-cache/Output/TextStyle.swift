// SPDX-License-Identifier: MIT

import FoundationEssentials

/// How a text stands out on a terminal.
enum TextStyle: String {
  case bold = "1"
  case red = "31"
  case yellow = "33"

  /// A text in this style, as a terminal takes it (ECMA-48's "select graphic rendition").
  func applied(to text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }

  /// Whether what is printed may be in colour: on a terminal that knows colours, unless `NO_COLOR` is set and not
  /// empty (https://no-color.org).
  static var isWelcome: Bool {
    let environment = ProcessInfo.processInfo.environment
    guard Printer.isTerminal, environment["TERM"] != "dumb" else { return false }
    return environment["NO_COLOR", default: ""].isEmpty
  }
}
