// SPDX-License-Identifier: MIT

import Foundation

/// One operation on one group, measured round by round: a round is some runs of ours, then as many of the floor.
struct Row {
  let operation: Operation
  let accounts: Int
  private var ours: [[Double]] = []
  private var floor: [[Double]] = []

  init(operation: Operation, accounts: Int) {
    self.operation = operation
    self.accounts = accounts
  }

  /// Adds a round's times in nanoseconds.
  mutating func add(ours: [Double], floor: [Double]) {
    self.ours.append(ours)
    self.floor.append(floor)
  }

  /// The head of the table that rows are lines of.
  static let head = """
    | operation | accounts | ours, p50 | floor, p50 | ratio of medians | by round |
    |---|---:|---:|---:|---:|---:|
    """

  /// The row as a line of the table.
  var line: String {
    let ours = Self.median(ours.flatMap(\.self))
    let floor = Self.median(floor.flatMap(\.self))
    let ratios = zip(self.ours, self.floor).map { Self.median($0) / Self.median($1) }
    let spread = "\(Self.ratio(ratios.min() ?? 0))–\(Self.ratio(ratios.max() ?? 0))"
    let cells = [
      operation.title, "\(accounts)", Self.milliseconds(ours), Self.milliseconds(floor),
      Self.ratio(ours / floor), spread,
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let upper = sorted.dropFirst(sorted.count / 2).first else { return 0 }
    return sorted.count.isMultiple(of: 2) ? (sorted[sorted.count / 2 - 1] + upper) / 2 : upper
  }

  private static func milliseconds(_ nanoseconds: Double) -> String {
    String(format: "%.2f ms", nanoseconds / 1_000_000)
  }

  private static func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
}
