// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The zone of times that name none.
///
/// The process's own is asked of the C library, as Python does: FoundationEssentials knows no zone but UTC.
struct LocalZone: Sendable {
  private let zone: TimeZone?

  /// Takes a zone, or the process's own.
  init(_ zone: TimeZone?) { self.zone = zone }

  /// The seconds since 1970 at a time of day in the zone.
  ///
  /// Of an hour that comes twice, it is either; an hour that is left out counts as if it were not.
  func seconds(of civil: CivilTime) -> Int {
    let local = civil.seconds
    return local - offset(at: local - offset(at: local))
  }

  /// The time of day in the zone.
  func civil(at seconds: Int) -> CivilTime? { CivilTime(seconds: seconds + offset(at: seconds)) }

  /// The seconds east of UTC.
  private func offset(at seconds: Int) -> Int {
    if let zone { return zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))) }
    var time = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
    return unsafe parts.tm_gmtoff
  }
}
