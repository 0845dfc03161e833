// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists

/// The times of ADAL for Python, in the local zone without naming it, and of ADAL for Node, in UTC.
struct PythonTime {
  let zone: LocalZone

  /// Reads a time; the start of 1970 means "not known".
  func date(_ name: PythonMember, of members: ADALEntryMembers) throws(ADALEntryProblem) -> Date? {
    guard let text = try members.text(name.rawValue) else { return nil }
    guard let parts = DateText(text) else {
      throw ADALEntryProblem("has a \(name.rawValue) that is not a date and time")
    }
    let seconds = parts.offset.map { parts.civil.seconds - $0 } ?? zone.seconds(of: parts.civil)
    return seconds == 0 ? nil : try ADALTime.date(Double(seconds), of: name.rawValue)
  }

  /// The text that means "not known" where a time is required.
  var unknown: String? { written(0) }

  /// Returns the text of a time as ADAL for Python writes it; `nil` for a time that can't be read back.
  func text(_ date: Date?) -> String? {
    ADALTime.writable(date).flatMap { written(Int($0.timeIntervalSince1970)) }
  }

  private func written(_ seconds: Int) -> String? {
    guard let civil = zone.civil(at: seconds) else { return nil }
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = [digits(civil.year, 4), digits(civil.month, 2), digits(civil.day, 2)].joined(separator: "-")
    let time = [civil.hour, civil.minute, civil.second].map { digits($0, 2) }.joined(separator: ":")
    return "\(day) \(time).000000"
  }
}
