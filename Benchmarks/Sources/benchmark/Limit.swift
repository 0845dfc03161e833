// SPDX-License-Identifier: MIT

/// How long one turn is: a number of runs, or fewer, but at least three, when the time is over.
struct Limit: Sendable {
  static let minimum = 3

  let runs: Int
  let milliseconds: Int

  /// The command-line arguments of the programs that take turns.
  var arguments: [String] { [String(runs), String(milliseconds)] }
}
