// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists
import StrictJSON

/// The times that .NET's serializers write.
///
/// A time is `\/Date(milliseconds)\/`, in UTC with an offset that only affects its display, or a text with a zone.
enum DotNetTime {
  static func date(_ name: String, of members: ADALEntryMembers) throws(ADALEntryProblem) -> Date? {
    let text: String?
    if members.object[name]?.objectValue != nil {
      text = try members.members(name)?.text("DateTime")
    } else {
      text = try members.text(name)
    }
    guard let text else { return nil }
    guard let seconds = milliseconds(text).map({ Double($0) / 1000 }) ?? zoned(text) else {
      throw ADALEntryProblem("has a \(name) that is not a date and time")
    }
    return try ADALTime.date(seconds, of: name)
  }

  private static func milliseconds(_ text: String) -> Int? {
    guard text.hasPrefix("/Date("), text.hasSuffix(")/") else { return nil }
    let inside = text.dropFirst(6).dropLast(2)
    let sign = inside.hasPrefix("-") ? 1 : 0
    // An offset may follow. It only affects the display.
    let digits = inside.dropFirst(sign).prefix { $0 != "+" && $0 != "-" }
    let zone = inside.dropFirst(sign + digits.count)
    let isZone = zone.isEmpty || (zone.count == 5 && isDigits(zone.dropFirst()))
    guard isDigits(digits), isZone, let number = Int(digits) else { return nil }
    return sign == 1 ? -number : number
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  private static func zoned(_ text: String) -> Double? {
    guard let date = DateText(text), let offset = date.offset else { return nil }
    return Double(date.civil.seconds - offset) + date.fraction
  }
}
