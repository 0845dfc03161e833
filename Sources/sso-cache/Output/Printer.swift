// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import HeadlessSession
import KeychainGroupModel
import SecretStoreCache
import StrictJSON

/// The tool's output: tables for users, and one JSON document for programs.
enum Printer {
  /// Writes all bytes to standard output without changes.
  ///
  /// The tool exits when this fails.
  static func write(_ bytes: [UInt8]) {
    let error = Descriptor.write(bytes, to: STDOUT_FILENO)
    if error == 0 { return }
    if error == EPIPE { endAsByBrokenPipe() }
    Failure.report(
      SecretStoreError(
        .storageFailed, "The output can't be written: \(HeadlessFailure.text(ofError: error)).",
        underlying: LostOutput()),
      asJSON: Invocation.wantsJSON)
  }

  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes text to standard error, such as questions and error messages.
  static func error(_ text: String) { _ = Descriptor.write(Array(readable(text).utf8), to: STDERR_FILENO) }

  /// Ends the process by SIGPIPE, as usual when the reader has gone.
  ///
  /// GIO ignores this signal, so it is restored first.
  private static func endAsByBrokenPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }

  /// Writes one or more lines.
  static func line(_ text: String) { write(Array((readable(text) + "\n").utf8)) }

  /// Writes a value without changes; on a terminal, control characters are replaced.
  static func value(_ text: String) { isTerminal ? line(text) : write(Array((text + "\n").utf8)) }

  /// Writes one JSON document.
  static func json(_ value: JSONValue) { write(value.serialized() + [UInt8(ascii: "\n")]) }

  /// Writes columns with titles, or a sentence when there are no rows.
  ///
  /// On a terminal the columns are aligned and the table fits the width. Otherwise tabs separate the cells, and
  /// nothing is truncated.
  ///
  /// - Parameters:
  ///   - whole: The columns that are never truncated, because other commands take their values as arguments.
  ///   - styles: The styles of cells on a terminal, by their content.
  static func table(
    _ titles: [String], _ rows: [[String]], whole: Set<String> = [], styles: [String: TextStyle] = [:],
    none: String
  ) {
    if rows.isEmpty { return line(none) }
    let table = Table(titles: titles, rows: rows, whole: whole, styles: styles)
    let lines = isTerminal ? table.lines(width: terminalWidth, isColored: TextStyle.isEnabled) : table.fields
    // The cells are printable already. The styles and tabs must not be replaced.
    for line in lines { write(Array((line + "\n").utf8)) }
  }

  /// The number of columns of the terminal; `nil` when standard output is not a terminal or the width is not known.
  private static var terminalWidth: Int? {
    guard isTerminal else { return nil }
    if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init), columns > 0 {
      return columns
    }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Returns lines that are safe for a terminal.
  private static func readable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
      .joined(separator: "\n")
  }

  /// Returns a text from an external source as one line that is safe for a terminal.
  ///
  /// Control characters, bidirectional and other format characters, and line separators are replaced.
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

/// An error for standard output, or a file for it, that can't be written.
///
/// It tells this failure apart from one of the store.
struct LostOutput: PublishableError, ErrorWithRemedy {
  var remedy = "Write it to a place with room for it."
  var description: String { "LostOutput" }
}
