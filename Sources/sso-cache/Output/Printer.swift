// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import SecretStoreCache

/// Writes the tool's output: tables for people, one JSON document for programs.
enum Printer {
  /// Writes bytes as they are, whole, to standard output.
  static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

  /// Whether a person reads what is printed.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes text to standard error: questions and error messages.
  static func error(_ text: String) { write(Array(text.utf8), to: STDERR_FILENO) }

  private static func write(_ bytes: [UInt8], to file: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      if written < 0 && errno == EPIPE && file == STDOUT_FILENO { endAsByBrokenPipe() }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  /// Ends as a program does whose reader has gone; GIO has the signal ignored.
  private static func endAsByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Writes a line.
  static func line(_ text: String) { write(Array((text + "\n").utf8)) }

  /// Writes one JSON document.
  static func json(_ value: JSONValue) { write(value.serialized() + [UInt8(ascii: "\n")]) }

  /// Writes columns under their titles, or a sentence when there are no rows.
  ///
  /// On a terminal the table fits its width; elsewhere nothing is cut.
  ///
  /// - Parameter styles: The cells that stand out on a terminal, by what is in them.
  static func table(
    _ titles: [String], _ rows: [[String]], styles: [String: TextStyle] = [:], none: String
  ) {
    if rows.isEmpty { return line(none) }
    let table = Table(titles: titles, rows: rows, styles: styles)
    table.lines(width: terminalWidth, isColoured: TextStyle.isWelcome).forEach(line)
  }

  /// The characters that a line of the terminal has room for; `nil` when a program reads what is printed, or the
  /// terminal does not say.
  private static var terminalWidth: Int? {
    guard isTerminal else { return nil }
    if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init), columns > 0 {
      return columns
    }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// A text from outside as a terminal may be given it: without what would steer it.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }
}
