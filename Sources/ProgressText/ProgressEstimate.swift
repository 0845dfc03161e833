// SPDX-License-Identifier: MIT

/// The rate of long work and the time that is left, from what was done at which time.
package struct ProgressEstimate: Sendable {
  /// How far back the rate looks.
  ///
  /// An item may take longer than the one before, because gnome-keyring writes a whole file for each.
  package static let window = Duration.seconds(10)
  /// The time after which there is a rate.
  package static let minimum = Duration.seconds(1)
  private static let spacing = Duration.milliseconds(100)

  /// The number of items that are done.
  package private(set) var completed = 0
  /// The number of all items.
  package private(set) var total = 0
  /// What was done at which time, within the window and once before it.
  private var points: [(time: Duration, completed: Int)] = []

  package init() {}

  /// Notes how far the work is.
  ///
  /// - Parameter time: The time since the work began.
  package mutating func note(_ completed: Int, of total: Int, at time: Duration) {
    // Work that counts anew has no rate yet.
    if completed < self.completed || points.isEmpty { points = [(time, completed)] }
    (self.completed, self.total) = (completed, total)
    if let last = points.last, points.count > 1, time - last.time < Self.spacing { return }
    points.append((time, completed))
    while points.count > 2, time - points[1].time >= Self.window { points.removeFirst() }
  }

  /// The number of items in a second; `nil` before the work has gone on for ``minimum``.
  ///
  /// - Parameter time: The time since the work began.
  package func rate(at time: Duration) -> Double? {
    guard let first = points.first, time - first.time >= Self.minimum, completed > first.completed
    else { return nil }
    return Double(completed - first.completed) / ((time - first.time) / .seconds(1))
  }

  /// The time that the rest takes at this rate; `nil` when there is no rate.
  package func timeLeft(at time: Duration) -> Duration? {
    rate(at: time).map { .seconds(Double(max(0, total - completed)) / $0) }
  }
}
