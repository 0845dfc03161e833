// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Whether the clock can be right: a wrong one makes every token look expired, or none.
struct ClockCheck: Sendable {
  let now: Date
  /// When the daemon wrote an item just now, by its clock, in seconds since 1970.
  var written: Int?
  /// When the youngest token of any group was stored.
  var newest: Date?
  /// Whether it has been set by a server's.
  var isSynchronized = false

  static let name = "clock"

  /// Silent calls count a token as expired this many seconds early; so much is no matter.
  private static let tolerance = 300.0

  /// After so many seconds without a sign-in or a refresh, a year and a month, the clock is the likelier cause.
  private static let longest = 400 * 86_400.0

  /// No clock that is right says less: this check was written then (2026-01-01).
  private static let earliest = Date(timeIntervalSince1970: 1_767_225_600)

  private static let remedy = "sudo timedatectl set-ntp true"

  func find() -> Finding {
    if now < Self.earliest { return error("The clock says \(day(now)), which is long past.") }
    if let written {
      let difference = now.timeIntervalSince1970 - Double(written)
      if abs(difference) > Self.tolerance {
        return error(
          "This program's clock says \(day(now)), and the keyring daemon's is \(span(difference)) off.")
      }
    }
    if let newest, newest.timeIntervalSince(now) > Self.tolerance {
      if isSynchronized {
        return .warning(
          "A server has set the clock, which was \(span(newest.timeIntervalSince(now))) ahead when a token was stored.",
          remedy: GeneralRemedy.signIn)
      }
      return error("The clock is behind: a token was stored \(span(newest.timeIntervalSince(now))) from now.")
    }
    if let newest, now.timeIntervalSince(newest) > Self.longest {
      return .warning(
        "No token was stored for \(span(now.timeIntervalSince(newest))): the clock, which says \(day(now)),"
          + " may be ahead.", remedy: Self.remedy)
    }
    return .ok("The clock says \(day(now)).")
  }

  private func error(_ detail: String) -> Finding { .error(nil, detail, remedy: Self.remedy) }

  private func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

  private func span(_ seconds: Double) -> String {
    let seconds = abs(seconds)
    return seconds < 172_800 ? "\(Int(seconds / 60)) minutes" : "\(Int(seconds / 86_400)) days"
  }
}
