// SPDX-License-Identifier: MIT

/// The length of one turn: a number of runs, or fewer when the time is over, but at least three.
struct Limit: Sendable {
  static let minimum = 3

  let runs: Int
  let milliseconds: Int

  /// The limit as command-line arguments of the programs.
  var arguments: [String] { [String(runs), String(milliseconds)] }
}
