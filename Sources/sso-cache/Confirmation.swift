// SPDX-License-Identifier: MIT

import ArgumentParser
import Glibc

/// Asks the person at the keyboard before something is lost.
enum Confirmation {
  /// Asks on the terminal; without one, the answer has to come with the command.
  ///
  /// - Parameter isGiven: Whether the command said `--yes`.
  static func agrees(_ question: String, isGiven: Bool) throws -> Bool {
    if isGiven { return true }
    try requireTerminal()
    Printer.error("\(question) [y/N] ")
    return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
  }
  /// Fails before anything is done when there would be nobody to ask.
  static func requireTerminal() throws {
    guard isatty(0) == 1 else {
      throw ValidationError("There is no terminal to ask on: add --yes.")
    }
  }
}
