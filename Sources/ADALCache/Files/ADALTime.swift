// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// The rules for times in ADAL's files.
enum ADALTime {
  /// The years 1970 to 2199, in seconds.
  ///
  /// A time outside this range is from another calendar or is not a date.
  private static let range = 0.0..<7_258_118_400

  /// The times that mean "not known" and "never", in seconds.
  ///
  /// They are the first days of the year 1, the last day of 9999, and the start of 4001, which is Apple's distant
  /// future.
  private static let sentinels = (
    first: -62_135_000_000.0, last: 253_402_200_000.0, distant: 64_092_211_200.0
  )

  /// Returns a time as a date; `nil` when it means "not known" or "never".
  static func date(_ seconds: Double, of member: String) throws(ADALEntryProblem) -> Date? {
    if seconds < sentinels.first || seconds >= sentinels.last || seconds == sentinels.distant { return nil }
    guard range.contains(seconds) else { throw ADALEntryProblem("has a \(member) that is out of range") }
    return Date(timeIntervalSince1970: seconds)
  }

  /// Returns a date that a reader will accept; `nil` for any other date.
  static func writable(_ date: Date?) -> Date? {
    guard let date, date.timeIntervalSince1970 >= 1, range.contains(date.timeIntervalSince1970) else {
      return nil
    }
    return date
  }
}
