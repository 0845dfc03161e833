// SPDX-License-Identifier: MIT

/// The line that shows on a terminal how far long work is.
///
/// It is ASCII, without control characters, and holds no text from elsewhere.
package struct ProgressBar: Sendable {
  /// What is done, such as "Importing".
  package let title: String

  package init(_ title: String) { self.title = title }

  private static let longestBar = 40
  private static let shortestBar = 10

  /// Returns the line for work whose number of items is not known yet.
  package func line(columns: Int) -> String {
    [title, "..."].first { $0.count <= columns } ?? ""
  }

  /// Returns the longest line that fits.
  ///
  /// - Parameters:
  ///   - time: The time since the work began.
  ///   - columns: The number of columns that the line may take.
  package func line(_ progress: ProgressEstimate, at time: Duration, columns: Int) -> String {
    let (completed, total) = (progress.completed, progress.total)
    let count = "\(completed) of \(total)"
    var figures = count
    if let rate = progress.rate(at: time) { figures += "  \(Self.text(rate: rate))" }
    if completed < total, let left = progress.timeLeft(at: time) { figures += "  \(Self.text(left)) left" }
    let room = columns - title.count - figures.count - 6
    if room >= Self.shortestBar {
      let width = min(room, Self.longestBar)
      let full = total > 0 ? width * min(completed, total) / total : 0
      let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
      return "\(title)  [\(bar)]  \(figures)"
    }
    let percent = "\(total > 0 ? 100 * min(completed, total) / total : 0)%"
    let shorter = ["\(title) \(figures)", figures, count, "\(completed)/\(total)", percent]
    return shorter.first { $0.count <= columns } ?? ""
  }

  /// Returns a rate with two digits at least: "120/s", "12/s", "1.2/s", "0.1/s".
  package static func text(rate: Double) -> String {
    if rate >= 9.95 { return "\(Int(rate.rounded()))/s" }
    let tenths = max(1, Int((rate * 10).rounded()))
    return "\(tenths / 10).\(tenths % 10)/s"
  }

  /// Returns a time in minutes and seconds, and in hours from one hour on: "0:05", "12:05", "1:02:05".
  package static func text(_ time: Duration) -> String {
    let parts = time.components
    let seconds = max(0, parts.seconds + (parts.attoseconds >= 500_000_000_000_000_000 ? 1 : 0))
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
  }
}
