// SPDX-License-Identifier: MIT

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
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }

  /// Writes a line.
  static func line(_ text: String) { write(Array((text + "\n").utf8)) }

  /// Writes one JSON document.
  static func json(_ value: JSONValue) { write(value.serialized() + [UInt8(ascii: "\n")]) }

  /// Writes columns under their titles, or a sentence when there are no rows.
  static func table(_ titles: [String], _ rows: [[String]], none: String) {
    if rows.isEmpty { return line(none) }
    let rows = [titles] + rows.map { $0.map(printable) }
    let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      let text = cells.joined(separator: "  ")
      line(String(text.reversed().drop { $0 == " " }.reversed()))
    }
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
