// SPDX-License-Identifier: MIT

public import FoundationEssentials

/// Where the cache reads the time of day, so that tests can set it.
public protocol WallClock: Sendable {
  /// The time now.
  func now() -> Date
}
