// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// A check that the clock is plausible.
///
/// With a wrong clock, every token looks expired, or none does.
struct ClockCheck: Sendable {
  let now: Date
  /// The daemon's modification time of the item that the round-trip check wrote, in seconds since 1970.
  var written: Int?
  /// The time at which the newest token of any group was stored.
  var newest: Date?
  /// The group of that token.
  var group: AccessGroup?
  /// Whether a time server has set the clock since the system started.
  var isSynchronized = false

  static let name = "clock"

  /// The deviation that is accepted, in seconds.
  ///
  /// Silent calls treat a token as expired this much too early.
  private static let tolerance = 300.0

  /// The age of the newest token, in seconds, above which the clock is probably ahead: 400 days.
  private static let longest = 400 * 86_400.0

  /// The earliest plausible time: 2026-01-01, when this check was written.
  private static let earliest = Date(timeIntervalSince1970: 1_767_225_600)

  /// The latest plausible time: 2126-01-01.
  static let latest = Date(timeIntervalSince1970: 4_922_899_200)

  private static let remedy = "sudo timedatectl set-ntp true"

  func run() -> CheckResult {
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
      let token = group.map { "a token of \($0)" } ?? "a token"
      return .error(
        nil,
        "The clock says \(day(now)): it is behind, or was ahead when \(token) was stored,"
          + " \(span(newest.timeIntervalSince(now))) from now.",
        remedy: "If the date is wrong: \(Self.remedy); if it is right, sign in with the group's apps again.")
    }
    if let newest, now.timeIntervalSince(newest) > Self.longest {
      return .warning(
        "No token was stored for \(span(now.timeIntervalSince(newest))): the clock, which says \(day(now)),"
          + " may be ahead.", remedy: Self.remedy)
    }
    return .ok("The clock says \(day(now)).")
  }

  private func error(_ detail: String) -> CheckResult { .error(nil, detail, remedy: Self.remedy) }

  private func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

  private func span(_ seconds: Double) -> String {
    let seconds = abs(seconds)
    return seconds < 172_800 ? "\(Int(seconds / 60)) minutes" : "\(Int(seconds / 86_400)) days"
  }
}
