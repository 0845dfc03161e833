// SPDX-License-Identifier: MIT

package import FoundationEssentials

/// The times of a response's access token, by the clock of this machine.
extension TokenResponse {
  /// Returns the time at which the access token of a response that arrives `now` expires.
  package func expiry(at now: Date) -> Date {
    time("expires_in", "expires_on", at: now) ?? now.addingTimeInterval(Double(expiresIn))
  }

  /// Returns the time until which the access token may be used while the server is down.
  package func extendedExpiry(at now: Date) -> Date? { time("ext_expires_in", "ext_expires_on", at: now) }

  /// Returns the time from which the access token should be refreshed.
  package func refreshTime(at now: Date) -> Date? { time("refresh_in", "refresh_on", at: now) }

  /// Returns a time; the lifetime takes precedence, because the server's clock may differ from the local clock.
  private func time(_ lifetime: String, _ point: String, at now: Date) -> Date? {
    if let seconds = times[lifetime] { return now.addingTimeInterval(Double(seconds)) }
    return times[point].map { min(Date(timeIntervalSince1970: Double($0)), Self.latest(at: now)) }
  }

  /// The latest time that a response can name.
  private static func latest(at now: Date) -> Date { now.addingTimeInterval(Double(maximumLifetime)) }

  /// Returns the names of the members that were left out, or put into the range of lifetimes.
  package func oddMembers(at now: Date) -> [String] {
    let late = times.filter { name, value in
      name.hasSuffix("_on") && Double(value) > Self.latest(at: now).timeIntervalSince1970
    }
    return (odd + late.keys).sorted()
  }
}
