// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

/// Times as ADAL's files have them.
enum ADALTime {
  /// The years 1970 to 2199, in seconds.
  ///
  /// A date beyond them was written by another calendar, or is none.
  private static let range = 0.0..<7_258_118_400

  /// The first and last days that .NET's and Apple's dates can have, and what is beyond: they stand for "not known" and
  /// "never".
  private static let ends = (first: -62_135_000_000.0, last: 64_000_000_000.0)

  /// A time, or `nil` for one that stands for "not known" or "never".
  static func date(_ seconds: Double, of member: String) throws(ADALEntryProblem) -> Date? {
    if seconds < ends.first || seconds >= ends.last { return nil }
    guard range.contains(seconds) else { throw ADALEntryProblem("has a \(member) that is out of range") }
    return Date(timeIntervalSince1970: seconds)
  }
}
