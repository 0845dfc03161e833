// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import PropertyLists

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The time zone of times without a zone.
///
/// For the process's own zone it asks the C library, as Python does, because FoundationEssentials knows only UTC.
struct LocalZone: Sendable {
  private let zone: TimeZone?

  /// Uses the given zone, or the process's own for `nil`.
  init(_ zone: TimeZone?) { self.zone = zone }

  /// Converts a time of day in the zone to seconds since 1970.
  ///
  /// A time that occurs twice, when clocks go back, gives one of the two. A time that is skipped, when clocks go
  /// forward, is converted as if it existed.
  func seconds(of civil: CivilTime) -> Int {
    let local = civil.seconds
    return local - offset(at: local - offset(at: local))
  }

  /// Converts seconds since 1970 to the time of day in the zone.
  func civil(at seconds: Int) -> CivilTime? { CivilTime(seconds: seconds + offset(at: seconds)) }

  /// Returns the zone's offset at a time, in seconds east of UTC.
  private func offset(at seconds: Int) -> Int {
    if let zone { return zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) }
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }
}
