// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// Times as ADAL's files have them.
enum ADALTime {
  /// The years 1970 to 2199, in seconds.
  ///
  /// A date beyond them was written by another calendar, or is none.
  private static let range = 0.0..<7_258_118_400

  /// What stands for "not known" and "never": the first days of the year 1, the last day of 9999, and the day that Apple
  /// has for a distant future, the first of 4001.
  private static let ends = (first: -62_135_000_000.0, last: 253_402_200_000.0, distant: 64_092_211_200.0)

  /// A time, or `nil` for one that stands for "not known" or "never".
  static func date(_ seconds: Double, of member: String) throws(ADALEntryProblem) -> Date? {
    if seconds < ends.first || seconds >= ends.last || seconds == ends.distant { return nil }
    guard range.contains(seconds) else { throw ADALEntryProblem("has a \(member) that is out of range") }
    return Date(timeIntervalSince1970: seconds)
  }

  /// A time that can be read again, or `nil`.
  static func writable(_ date: Date?) -> Date? {
    guard let date, date.timeIntervalSince1970 >= 1, range.contains(date.timeIntervalSince1970) else {
      return nil
    }
    return date
  }
}
