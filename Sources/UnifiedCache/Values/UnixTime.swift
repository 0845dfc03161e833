// SPDX-License-Identifier: MIT

package import FoundationEssentials
package import StrictJSON

/// Times in the form of a unified cache: whole seconds since 1970 in a string.
///
/// Numbers are read, too.
package enum UnixTime {
  /// Reads a time.
  ///
  /// The result is `nil` when the value is not a number, is negative, or is over 9999999999999. MSALs write
  /// 9999999999999 for "never".
  package static func date(_ value: JSONValue?) -> Date? {
    guard let literal = value?.textValue, let seconds = Double(literal) else { return nil }
    guard seconds >= 0, seconds <= 9_999_999_999_999 else { return nil }
    return Date(timeIntervalSince1970: seconds)
  }

  /// Returns a time in the form to store.
  package static func value(_ date: Date?) -> JSONValue? {
    date.map { .string(String(Int64($0.timeIntervalSince1970))) }
  }
}
