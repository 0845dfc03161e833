// SPDX-License-Identifier: MIT

import ArgumentParser

/// The suggestion of a command for a misspelled one.
enum CommandHint {
  /// Returns the hint for a command line of a tool; `nil` when its words are commands or resemble none.
  static func text(for arguments: [String], in tool: any ParsableCommand.Type) -> String? {
    var command = tool
    for word in arguments {
      let commands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      if commands.isEmpty || word.hasPrefix("-") { return nil }
      if let next = commands.first(where: { name(of: $0) == word }) {
        command = next
        continue
      }
      let likely = commands.map { (name(of: $0), distance(name(of: $0), word)) }.min { $0.1 < $1.1 }
      guard let (name, distance) = likely, distance <= max(1, name.count / 3) else { return nil }
      return "Did you mean '\(name)'?"
    }
    return nil
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? ""
  }

  /// Returns the Levenshtein distance: the number of characters to insert, delete or replace.
  private static func distance(_ one: String, _ other: String) -> Int {
    let (one, other) = (Array(one), Array(other.prefix(40)))
    var row = Array(0...other.count)
    for (index, character) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in other.indices {
        let above = row[column + 1]
        row[column + 1] = min(
          above + 1, row[column] + 1, diagonal + (other[column] == character ? 0 : 1))
        diagonal = above
      }
    }
    return row[other.count]
  }
}
