// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

@Suite("Clock check")
struct ClockCheckTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let day = 86_400.0

  private func status(written: Double? = nil, newest: Double? = nil) -> Diagnosis.Status {
    ClockCheck(
      now: Self.now, written: written.map { Int(Self.now.timeIntervalSince1970 + $0) },
      newest: newest.map { Self.now.addingTimeInterval($0) }
    ).run().status
  }

  @Test("A clock before this check's release is wrong", arguments: [0.0, 946_684_800, 1_767_225_599])
  func past(seconds: Double) {
    let check = ClockCheck(now: Date(timeIntervalSince1970: seconds))
    #expect(check.run().status == .error)
    #expect(ClockCheck(now: Date(timeIntervalSince1970: 1_767_225_600)).run().status == .ok)
  }

  @Test("The daemon's clock and this process's may differ by five minutes", arguments: [300.0, -300, 0])
  func together(difference: Double) { #expect(status(written: difference) == .ok) }

  @Test(
    "Clocks that differ by more than five minutes are an error",
    arguments: [301.0, -301, 283_996_800, -283_996_800])
  func apart(difference: Double) { #expect(status(written: difference) == .error) }

  @Test("A token cached in the future shows that the clock is behind, or was ahead")
  func future() {
    #expect(status(newest: 300) == .ok)
    #expect(status(newest: 301) == .error)
    let set = ClockCheck(
      now: Self.now, newest: Self.now.addingTimeInterval(301), isSynchronized: true)
    #expect(set.run().status == .warning, "it was ahead, when a server has set it")
  }

  @Test("A group unused for a year and a month makes the clock suspect")
  func unused() {
    #expect(status(newest: -400 * Self.day) == .ok)
    #expect(status(newest: -401 * Self.day) == .warning)
  }
}
