// SPDX-License-Identifier: MIT

/// A date and a time of day by the Gregorian calendar, of no zone.
package struct CivilTime: Sendable, Hashable {
  /// The year, 0 to 9999.
  package let year: Int
  /// The month, from 1.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int
  /// The hour, 0 to 23.
  package let hour: Int
  /// The minute.
  package let minute: Int
  /// The second, 0 to 59.
  package let second: Int

  /// Makes a time; `nil` when there is no such day or time of day.
  package init?(date: (year: Int, month: Int, day: Int), time: (hour: Int, minute: Int, second: Int)) {
    guard 0...9999 ~= date.year, 1...12 ~= date.month,
      1...Self.days(in: date.month, of: date.year) ~= date.day,
      0...23 ~= time.hour, 0...59 ~= time.minute, 0...59 ~= time.second
    else { return nil }
    (year, month, day) = date
    (hour, minute, second) = time
  }

  /// Makes the time that it is in UTC so many seconds after 1970 began; `nil` outside of the years 0 to 9999.
  package init?(seconds: Int) {
    guard -62_167_219_200..<253_402_300_800 ~= seconds else { return nil }
    let days = Self.divided(seconds, 86_400)
    // Years that begin in March have their leap day last; 400 of them have 146,097 days.
    let since = days + 719_468
    let era = Self.divided(since, 146_097)
    let dayOfEra = since - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let timeOfDay = seconds - days * 86_400
    hour = timeOfDay / 3600
    minute = timeOfDay / 60 % 60
    second = timeOfDay % 60
  }

  /// The seconds from the beginning of 1970, were it a time in UTC.
  package var seconds: Int {
    let fromMarch = month > 2 ? month - 3 : month + 9
    let marchYear = month > 2 ? year : year - 1
    let era = Self.divided(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * fromMarch + 2) / 5 + day - 1
    let days = era * 146_097 + dayOfEra - 719_468
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The quotient, rounded down.
  private static func divided(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
  }
}
