// SPDX-License-Identifier: MIT

import ProgressText
import Testing

@Suite("Progress bar of a terminal")
struct ProgressBarTests {
  private let bar = ProgressBar("Importing")

  /// The line for work of ten items in a second.
  private func line(_ completed: Int, of total: Int, columns: Int) -> String {
    var estimate = ProgressEstimate()
    let seconds = Double(completed) / 10
    estimate.note(0, of: total, at: .zero)
    for tick in 0...completed { estimate.note(tick, of: total, at: .seconds(Double(tick) / 10)) }
    return bar.line(estimate, at: .seconds(seconds), columns: columns)
  }

  @Test(
    "A line shows what fits: bar, items, rate and time left",
    arguments: [
      (79, "Importing  [##############----------------------]  400 of 1000  10/s  1:00 left"),
      (50, "Importing 400 of 1000  10/s  1:00 left"), (30, "400 of 1000  10/s  1:00 left"),
      (20, "400 of 1000"), (11, "400 of 1000"), (10, "400/1000"), (7, "40%"), (3, "40%"), (2, ""), (0, ""),
      (-1, ""),
    ])
  func widths(columns: Int, line: String) { #expect(self.line(400, of: 1000, columns: columns) == line) }

  @Test("No line is longer than the terminal, and none holds a control character", arguments: -1...300)
  func fits(columns: Int) {
    for (completed, total) in [(0, 0), (0, 1), (1, 1), (3, 7), (999, 1000), (5, 3)] {
      let line = line(completed, of: total, columns: columns)
      #expect(line.count <= max(0, columns))
      #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    }
    #expect(bar.line(columns: columns).count <= max(0, columns))
  }

  @Test("A bar is empty at the start and full at the end")
  func ends() {
    #expect(line(0, of: 9, columns: 60).contains("[----------"))
    let end = line(100, of: 100, columns: 79)
    #expect(end.contains("##]  100 of 100  10/s") && !end.contains("-") && !end.contains("left"))
  }

  @Test(
    "A rate has two digits, and none is zero",
    arguments: [
      (123.4, "123/s"), (12.5, "13/s"), (9.96, "10/s"), (9.94, "9.9/s"), (1.0, "1.0/s"), (0.04, "0.1/s"),
    ])
  func rates(rate: Double, text: String) { #expect(ProgressBar.text(rate: rate) == text) }

  @Test(
    "A time is in minutes and seconds, or in hours",
    arguments: [
      (0, "0:00"), (0.2, "0:00"), (59, "0:59"), (59.5, "1:00"), (60, "1:00"), (3599, "59:59"),
      (3600, "1:00:00"), (36_061, "10:01:01"),
    ])
  func times(seconds: Double, text: String) { #expect(ProgressBar.text(.seconds(seconds)) == text) }
}
