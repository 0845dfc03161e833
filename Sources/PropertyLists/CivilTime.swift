// SPDX-License-Identifier: MIT

import Glibc

/// A date and a time of day in the Gregorian calendar, without a time zone.
package struct CivilTime: Sendable, Hashable {
  /// The year, 0 to 9999.
  package let year: Int
  /// The month, from 1.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int
  /// The hour, 0 to 23.
  package let hour: Int
  /// The minute, 0 to 59.
  package let minute: Int
  /// The second, 0 to 59.
  package let second: Int

  /// Creates a time, or `nil` when the date or the time of day does not exist.
  package init?(date: (year: Int, month: Int, day: Int), time: (hour: Int, minute: Int, second: Int)) {
    guard 0...9999 ~= date.year, 1...12 ~= date.month, 1...31 ~= date.day,
      0...23 ~= time.hour, 0...59 ~= time.minute, 0...59 ~= time.second
    else { return nil }
    (year, month, day) = date
    (hour, minute, second) = time
    // timegm turns 30 February into a day of March.
    if CivilTime(seconds: seconds) != self { return nil }
  }

  /// Creates the UTC time at a number of seconds since 1970, or `nil` outside the years 0 to 9999.
  package init?(seconds: Int) {
    guard -62_167_219_200..<253_402_300_800 ~= seconds else { return nil }
    var time = time_t(seconds)
    var fields = unsafe tm()
    guard unsafe gmtime_r(&time, &fields) != nil else { return nil }
    unsafe (year, month, day) = (Int(fields.tm_year) + 1900, Int(fields.tm_mon) + 1, Int(fields.tm_mday))
    unsafe (hour, minute, second) = (Int(fields.tm_hour), Int(fields.tm_min), Int(fields.tm_sec))
  }

  /// The seconds since the beginning of 1970, with the time taken as UTC.
  package var seconds: Int {
    var fields = unsafe tm()
    unsafe fields.tm_year = Int32(year - 1900)
    unsafe fields.tm_mon = Int32(month - 1)
    unsafe fields.tm_mday = Int32(day)
    unsafe fields.tm_hour = Int32(hour)
    unsafe fields.tm_min = Int32(minute)
    unsafe fields.tm_sec = Int32(second)
    return unsafe timegm(&fields)
  }
}
