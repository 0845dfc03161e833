// SPDX-License-Identifier: MIT

/// A date and time as text, such as `2024-05-31T12:30:00.5Z` (RFC 3339).
///
/// A space may stand in place of the `T`. The fraction and the zone are optional. Only ASCII digits and the Gregorian
/// calendar are supported: a date of another calendar is refused, or is read as a Gregorian date far from the present.
///
/// Foundation's ISO 8601 styles return a `Date`, which doesn't tell whether the text names a zone. Without one, as in
/// `2024-05-31 12:30:00` of ADAL for Python, the text is local time.
package struct DateText: Sendable, Hashable {
  /// The date and time of day as written.
  package let civil: CivilTime
  /// The fraction of a second, at least 0 and less than 1.
  package let fraction: Double
  /// The time zone in seconds east of UTC, or `nil` when the text names none.
  package let offset: Int?

  /// Reads a text, or returns `nil` when it has another form.
  package init?(_ text: String) {
    var scanner = Scanner(rest: text.utf8[...])
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
      let day = scanner.number(2), scanner.skip("T") || scanner.skip(" "),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
      let second = scanner.number(2),
      let civil = CivilTime(date: (year, month, day), time: (hour, minute, second)),
      let fraction = scanner.fraction(), let zone = scanner.zone(), scanner.rest.isEmpty
    else { return nil }
    self.civil = civil
    self.fraction = fraction
    offset = zone.offset
  }

  private struct Scanner {
    var rest: Substring.UTF8View

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard let byte = rest.first, UInt32(byte) == character.value else { return false }
      rest.removeFirst()
      return true
    }

    /// Reads a number of exactly `digits` digits, without a sign.
    mutating func number(_ digits: Int) -> Int? {
      let text = rest.prefix(digits)
      guard text.count == digits, text.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      rest.removeFirst(digits)
      return text.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    /// Reads a decimal point and one to nine digits, or returns 0 when there is no decimal point.
    mutating func fraction() -> Double? {
      guard skip(".") else { return 0 }
      let digits = rest.prefix { 0x30...0x39 ~= $0 }.count
      guard 1...9 ~= digits, let number = number(digits) else { return nil }
      return (0..<digits).reduce(Double(number)) { value, _ in value / 10 }
    }

    /// Reads `Z`, or the hours and minutes from UTC, of which the colon and the minutes are optional.
    ///
    /// - Returns: `nil` when the zone is malformed. The `offset` is in seconds, and `nil` when there is no zone.
    mutating func zone() -> (offset: Int?, isRead: Void)? {
      if rest.isEmpty { return (nil, ()) }
      if skip("Z") { return (0, ()) }
      let isEast = skip("+")
      guard isEast || skip("-"), let hours = number(2), hours <= 23 else { return nil }
      var minutes = 0
      if !rest.isEmpty {
        _ = skip(":")
        guard let number = number(2), number <= 59 else { return nil }
        minutes = number
      }
      let offset = hours * 3600 + minutes * 60
      return (isEast ? offset : -offset, ())
    }
  }
}
