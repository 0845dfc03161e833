// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@testable import PropertyLists

@Suite("Date text")
struct DateTextTests {
  @Test(
    "ISO 8601 dates are read",
    arguments: [
      ("2016-02-11 19:26:30", 1_455_218_790, 0, nil), ("2016-02-11T19:26:30Z", 1_455_218_790, 0, 0),
      ("2016-02-11 19:26:30.065000", 1_455_218_790, 0.065, nil),
      ("2000-02-29T23:59:59.5Z", 951_868_799, 0.5, 0),
      ("2016-02-11T19:26:30+01:00", 1_455_218_790, 0, 3600),
      ("2016-02-11T19:26:30-0530", 1_455_218_790, 0, -19_800),
      ("2016-02-11T19:26:30+02", 1_455_218_790, 0, 7200), ("1969-12-31T23:59:59Z", -1, 0, 0),
      ("0000-01-01T00:00:00Z", -62_167_219_200, 0, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0, 0),
    ] as [(String, Int, Double, Int?)])
  func reads(_ text: String, _ seconds: Int, _ fraction: Double, _ offset: Int?) throws {
    let date = try #require(DateText(text))
    #expect(date.civil.seconds == seconds)
    #expect(abs(date.fraction - fraction) < 1e-9)
    #expect(date.offset == offset)
    #expect(CivilTime(seconds: seconds) == date.civil)
  }

  @Test(
    "Any other text is no date",
    arguments: [
      "", "now", "2016-02-11", "19:26:30", "2016-2-11 19:26:30", "2016-02-30 19:26:30", "2015-02-29 19:26:30",
      "1900-02-29 19:26:30", "2016-13-11 19:26:30", "2016-00-11 19:26:30", "2016-02-00 19:26:30",
      "2016-02-11 24:00:00", "2016-02-11 19:60:30", "2016-02-11 19:26:60", "2016-02-11 19:26",
      "2016/02/11 19:26:30",
      "11-02-2016 19:26:30", "+2016-02-11 19:26:30", "-016-02-11 19:26:30", "02016-02-11 19:26:30",
      "2016-02-11  19:26:30", " 2016-02-11 19:26:30", "2016-02-11 19:26:30 ", "2016-02-11 19:26:30.",
      "2016-02-11 19:26:30.1234567890", "2016-02-11 19:26:30,5", "2016-02-11 19:26:30 PM",
      "2016-02-11 19:26:30z",
      "2016-02-11 19:26:30+1", "2016-02-11 19:26:30+24:00", "2016-02-11 19:26:30+01:60",
      "2016-02-11 19:26:30+01:",
      "2016-02-11 19:26:30Z+01:00", "٢٠١٦-٠٢-١١ ١٩:٢٦:٣٠", "２０１６-02-11 19:26:30",
      "2016-02-11 19:26:30\u{301}",
      "平成28-02-11 19:26:30", "2016-02-11 19:26:30 B.E.", "1455218790",
    ])
  func refuses(_ text: String) { #expect(DateText(text) == nil) }

  @Test("Each day of 400 years converts to its own number and back")
  func days() throws {
    var seconds = try #require(DateText("1999-12-31T12:34:56Z")).civil.seconds
    let end = try #require(DateText("2400-03-02T12:34:56Z")).civil.seconds
    var before: CivilTime?
    while seconds < end {
      let time = try #require(CivilTime(seconds: seconds))
      #expect(time.seconds == seconds)
      #expect((time.hour, time.minute, time.second) == (12, 34, 56))
      #expect(time != before)
      before = time
      seconds += 86_400
    }
  }

  @Test(
    "A year that does not have four digits has no text form",
    arguments: [Int.min, -62_167_219_201, 253_402_300_800, .max])
  func outOfRange(_ seconds: Int) { #expect(CivilTime(seconds: seconds) == nil) }
}
