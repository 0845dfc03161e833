// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import ProgressText
import StrictJSON

// None of the Swift packages that can be had on Linux draws a progress bar: swift-argument-parser has none, and those
// that exist are parts of package managers, unmaintained, or for Apple's systems only.

/// The progress of long work on standard error: a bar on a terminal, or lines of JSON.
///
/// It never waits for a reader: what standard error has no room for is left out.
struct ProgressDisplay {
  enum Style: Sendable {
    /// A bar, where standard error is a terminal that can erase a line.
    case bar
    /// A line of JSON each second, and for the first and the last item.
    case lines
    case none
  }

  /// The time for which short work shows no bar.
  static let quiet = Duration.milliseconds(500)
  /// The time between two lines of JSON.
  private static let pause = Duration.seconds(1)

  private let style: Style
  /// The work's name in JSON.
  private let name: String
  private let bar: ProgressBar
  private var estimate = ProgressEstimate()
  private var isShown = false
  private var lastLine: (time: Duration, completed: Int, total: Int)?

  init(_ style: Style, name: String, title: String) {
    self.style = style == .bar && !Self.hasCursor ? .none : style
    self.name = name
    bar = ProgressBar(title)
  }

  /// Shows how far the work is.
  ///
  /// - Parameters:
  ///   - count: What is done, and of how much; `nil` while that is not known.
  ///   - time: The time since the work began.
  mutating func show(_ count: (completed: Int, total: Int)?, at time: Duration) {
    if let count { estimate.note(count.completed, of: count.total, at: time) }
    switch style {
    case .none: break
    case .bar: draw(isCounted: count != nil, at: time)
    case .lines: if let count { print(count.completed, count.total, at: time) }
    }
  }

  /// Shows what was done, and erases the bar.
  mutating func end(_ count: (completed: Int, total: Int)?, at time: Duration) {
    if style == .lines, let count, lastLine.map({ ($0.completed, $0.total) != count }) ?? true {
      lastLine = nil
      show(count, at: time)
    }
    if isShown, isInForeground { write("\r\u{1B}[K") }
    isShown = false
  }

  // MARK: The bar

  private mutating func draw(isCounted: Bool, at time: Duration) {
    // A process in the background that writes to its terminal may be stopped (SIGTTOU), and disturbs the user.
    guard time >= Self.quiet, isInForeground else { return }
    // A character in the last column would move the cursor to the next line.
    let columns = Self.columns - 1
    let line = isCounted ? bar.line(estimate, at: time, columns: columns) : bar.line(columns: columns)
    isShown = true
    write("\r\(line)\u{1B}[K")
  }

  /// Whether standard error is a terminal that can erase a line (ECMA-48, "erase in line").
  private static var hasCursor: Bool {
    isatty(STDERR_FILENO) == 1
      && !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM", default: ""])
  }

  /// Whether the terminal's user sees the command, or the terminal has no job control.
  private var isInForeground: Bool {
    let foreground = tcgetpgrp(STDERR_FILENO)
    return foreground < 0 || foreground == getpgrp()
  }

  private static var columns: Int {
    var size = winsize()
    guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  // MARK: Lines

  private mutating func print(_ completed: Int, _ total: Int, at time: Duration) {
    let isOver = completed == total && lastLine.map { $0.completed < completed } ?? true
    if let lastLine, time - lastLine.time < Self.pause, !isOver { return }
    if let lastLine, (lastLine.completed, lastLine.total) == (completed, total) { return }
    var members: JSONObject = [
      "work": .string(name), "completed": .init(integerLiteral: completed),
      "total": .init(integerLiteral: total),
    ]
    if let left = estimate.timeLeft(at: time) {
      members["seconds_left"] = .init(integerLiteral: Int(left.components.seconds))
    }
    lastLine = (time, completed, total)
    write(JSONValue.object(["progress": .object(members)]).serialized() + [UInt8(ascii: "\n")])
  }

  private func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes bytes if standard error has room for them; then the write is done at once.
  private func write(_ bytes: [UInt8]) {
    var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&request, 1, 0) == 1, request.revents == Int16(POLLOUT) else { return }
    _ = Descriptor.write(bytes, to: STDERR_FILENO)
  }
}
