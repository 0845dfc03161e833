// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON
import TokenCacheModel

/// The time at which an app without shared locks last announced that it writes the group, as stored in the group's
/// marker.
///
/// For a week after that time, every app compares before a write and verifies after it. An app without shared locks
/// announces itself before its first write and again each day, so the effect ends a week after the app is uninstalled.
struct UnsharedLockWriters: Hashable, Sendable {
  /// Seconds since 1970; `nil` for never.
  private var at: Int64?

  /// Creates a value for a group that no such app writes.
  init() {}

  /// Returns a value for an app that writes now.
  static func now(_ now: Date = Date()) -> UnsharedLockWriters {
    var writers = UnsharedLockWriters()
    writers.at = Int64(now.timeIntervalSince1970)
    return writers
  }

  /// Creates a value from a marker's field; anything but a time counts as never.
  init(_ value: JSONValue?) {
    at = value?.textValue.flatMap { Int64($0) }.flatMap { (0...(1 << 53)).contains($0) ? $0 : nil }
  }

  /// The marker's field.
  var value: JSONValue? { at.map { .init(integerLiteral: Int($0)) } }

  private static let day: Int64 = 86_400

  /// Returns whether writes must be compared and verified because of such apps.
  func requireVerification(at now: Date = Date()) -> Bool { isWithin(7 * Self.day, of: now) }

  /// Returns whether the last announcement is less than a day old, so that it need not be repeated.
  func areRecent(at now: Date = Date()) -> Bool { isWithin(Self.day, of: now) }

  /// Returns whether the time is near now; a time in the future counts by its distance, because a clock may have been
  /// wrong.
  private func isWithin(_ limit: Int64, of now: Date) -> Bool {
    guard let at else { return false }
    return abs(Int64(now.timeIntervalSince1970) - at) <= limit
  }

  /// Returns the later of two values.
  func merged(with other: UnsharedLockWriters) -> UnsharedLockWriters {
    (at ?? -1) < (other.at ?? -1) ? other : self
  }
}
