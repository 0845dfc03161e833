// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Times as a unified cache keeps them: whole seconds since 1970 in a string; a number is read, too.
enum UnixTime {
  /// Reads a time.
  ///
  /// Anything that is no number, lies before 1970, or is over 9999999999999, which peers write for "never", counts
  /// as absent.
  static func date(_ value: JSONValue?) -> Date? {
    guard let literal = value?.textValue, let seconds = Double(literal) else { return nil }
    guard seconds >= 0, seconds <= 9_999_999_999_999 else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  /// Writes a time.
  static func value(_ date: Date?) -> JSONValue? {
    date.map { .string(String(Int64($0.timeIntervalSince1970))) }
  }
}
