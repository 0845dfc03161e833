// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc

/// Confirmation by the user at the terminal before data is lost.
enum Confirmation {
  /// Asks the question on the terminal.
  ///
  /// Without a terminal, the command line must have `--yes`.
  ///
  /// - Parameter isConfirmed: Whether the command line has `--yes`.
  static func agrees(_ question: String, isConfirmed: Bool) throws -> Bool {
    if isConfirmed { return true }
    try requireTerminal()
    Printer.error("\(question) [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
  /// Throws when there is no terminal.
  ///
  /// Commands call it before they change anything.
  static func requireTerminal() throws {
    guard isatty(0) == 1 else {
      throw ValidationError("There is no terminal to ask on: add --yes.")
    }
  }
}
