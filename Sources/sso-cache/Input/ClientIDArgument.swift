// SPDX-License-Identifier: MIT

import ArgumentParser

/// The value of `--client-id`.
enum ClientIDArgument {
  /// Returns the client ID; a blank one, such as an unset variable of a script, would be taken for a client of its own.
  static func parse(_ text: String) throws -> String {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("A client ID is not blank.")
    }
    return text
  }
}
